<?php

class Cart
{
    private array $items = [];

    public function total(): int
    {
        return array_sum($this->items);
    }

    private function clear(): void
    {
        $this->items = [];
    }
}
