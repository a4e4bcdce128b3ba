<?php

class Cart
{
    public function total(): int
    {
        return 5;
    }

    public function size(): int
    {
        return 1;
    }
}
