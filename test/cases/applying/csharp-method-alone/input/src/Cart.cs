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
            return 0;
        }

        public int Count { get; set; }
    }
}
