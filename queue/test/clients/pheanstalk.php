<?php
// SPDX-License-Identifier: MIT
// pheanstalk.php PORT: test the states of a job with the PHP client pheanstalk.
@include 'Pheanstalk/autoload.php';
if (!class_exists('Pheanstalk\Pheanstalk')) {
    fwrite(STDERR, "pheanstalk is not installed\n");
    exit(1);
}

function expect(string $what, bool $met): void
{
    if (!$met) {
        fwrite(STDERR, "failed expectation: $what\n");
        exit(1);
    }
}

$queue = Pheanstalk\Pheanstalk::create('127.0.0.1', (int) $argv[1]);
$put = $queue->useTube('mail')->put('hello', 7, 300, 300);
expect('a put has an id', $put->getId() === 1);
expect('it is delayed', $queue->peekDelayed()->getData() === 'hello');
expect('it may be kicked', $queue->kick(1) === 1);
$job = $queue->watch('mail')->ignore('default')->reserve();
expect('it is reserved', $job->getId() === 1 && $job->getData() === 'hello');
expect('its statistics', $queue->statsJob($job)->state === 'reserved');
$queue->touch($job);
$queue->release($job, 3, 1);
$job = $queue->reserve();
expect('the release is counted', (int) $queue->statsJob($job)->releases === 1);
$queue->bury($job);
expect('it is buried', $queue->peekBuried()->getId() === 1);
expect('it is kicked', $queue->kick(5) === 1);
expect('it is ready', $queue->peekReady()->getId() === 1);
$job = $queue->reserve();
$queue->delete($job);
expect('nothing is left', $queue->reserveWithTimeout(0) === null);
$queue->pauseTube('mail', 300);
expect('a tube is paused', (int) $queue->statsTube('mail')->pause === 300);
expect('stats returns values of the server', (int) $queue->stats()['total-jobs'] === 1);
expect('tubes are listed', $queue->listTubesWatched() === ['mail']);
echo "ok\n";
