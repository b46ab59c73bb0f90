<?php

declare(strict_types=1);

// As Composer's autoloader, for a checkout without Composer.
spl_autoload_register(static function (string $class): void {
    $prefix = 'Gateway\\Client\\';
    if (str_starts_with($class, $prefix)) {
        $file = dirname(__DIR__) . '/src/' . str_replace('\\', '/', substr($class, strlen($prefix))) . '.php';
        if (is_file($file)) {
            require $file;
        }
    }
});
