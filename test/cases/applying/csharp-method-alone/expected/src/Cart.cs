using System;

namespace Shop
{
    [Serializable]
    public class Cart
    {
        private int count;

        /// <summary>Sum.</summary>
        public int Total()
        {
            return count;
        }

        public int Count { get; set; }
    }
}
