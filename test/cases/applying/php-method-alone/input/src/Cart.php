<?php

class Cart
{
    private array $items = [];

    public function total(): int
    {
        return 0;
    }

    private function clear(): void
    {
        $this->items = [];
    }
}
