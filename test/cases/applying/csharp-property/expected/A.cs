public class A
{
    public int X { get; set; }
    public int Y => X;
}
