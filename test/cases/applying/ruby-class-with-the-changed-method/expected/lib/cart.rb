module Shop
  class Cart
    def total
      @items.sum
    end

    def empty?
      @items.empty?
    end

    def clear
      @items = []
    end
  end
end
