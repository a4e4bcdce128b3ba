using System;

namespace Shop
{
    public class Cart
    {
        public int Total()
        {
            return 0;
        }

        public int Count { get; set; }
    }
}
