/** Whether a test can run here; prints why where it cannot, so that no test is skipped in silence. */
export function isPossible(condition: boolean, reason: string): boolean {
  if (!condition) process.stdout.write(`Skipped here: ${reason}\n`)
  return condition
}
