using System;
using System.Linq;

namespace Shop
{
    public class Cart
    {
        public int Total()
        {
            return Count;
        }

        public void Clear()
        {
            Count = 0;
        }

        public int Count { get; set; }
    }
}
