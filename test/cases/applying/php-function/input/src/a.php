<?php

namespace App;

use App\Models\User;

/** Adds. */
function add(int $a, int $b): int
{
    return $a - $b;
}
