/**
 * Milliseconds of processor time that this process has used. What takes long only because the machine is busy with other tests
 * does not count.
 */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
