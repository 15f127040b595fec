/**
 * Milliseconds of processor time that this process has used. Time in which the machine runs other tests does not count.
 */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
