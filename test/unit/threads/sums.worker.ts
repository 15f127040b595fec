import { serve } from '../../../server/threads/serve.ts'
import type { SumWork } from './threads.deep.test.ts'

class TooLarge extends Error {}

serve<SumWork>(
  async ({ kind, numbers }, main) => {
    if (kind === 'endless') for (;;);
    if (kind === 'exit') process.exit(0)
    if (kind === 'memory')
      for (const parts: string[][] = []; ;)
        parts.push(Array.from({ length: 1e5 }, () => String(Math.random())))
    if (kind === 'fault') throw Object.assign(new Error('a fault'), { code: 'ENOSPC' })
    let sum = 0
    for (const [index, number] of numbers.entries()) {
      main.report(index)
      sum += await main.ask(number)
    }
    if (sum > 100) throw new TooLarge('The sum is too large.')
    return sum
  },
  { problems: [TooLarge] },
)
