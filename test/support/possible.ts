/** Whether a test can run here. Prints the reason if it cannot, so that no test is skipped silently. */
export function isPossible(condition: boolean, reason: string): boolean {
  if (!condition) process.stdout.write(`Skipped here: ${reason}\n`)
  return condition
}
