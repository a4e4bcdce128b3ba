/** A line in the output of a command that failed for want of the network, which no sandbox has. */
export const NO_NETWORK = '[There is no network in checks and commands]';
