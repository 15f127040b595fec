import { spawnSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'

import { startInstance } from '../support/instance.ts'
import { inTurn, round, timed, type Result } from '../support/measure.ts'
import { residentMb } from '../support/process-tree.ts'
import { seedProjects } from '../support/seed.ts'

/** Rows 1 and 2: start of the headless instance with 100 projects, and its memory when idle. */
export async function startRows(dir: string): Promise<Result[]> {
  await seedProjects(dir, 100)
  const [instance, node] = await inTurn(
    7,
    async () => {
      const running = await startInstance(dir)
      await running.stop()
      return running.startMs
    },
    () => timed(() => spawnSync(process.execPath, ['-e', ''])),
  )
  const running = await startInstance(dir)
  // Waits until the start-up work and its garbage collection have ended.
  await pause(5000)
  const mb = residentMb(running.pid)
  await running.stop()
  const ratio = instance / node
  return [
    {
      row: 1,
      work: 'start, 100 projects',
      baseline: `${round(node)} ms (node -e "")`,
      measured: `${round(instance)} ms`,
      ratio,
      goal: '≤ 300 ms and ≤ 8 ×',
      met: instance <= 300 && ratio <= 8,
    },
    {
      row: 2,
      work: 'memory at idle, process tree',
      baseline: '–',
      measured: `${round(mb)} MB`,
      ratio: null,
      goal: '≤ 110 MB',
      met: mb <= 110,
    },
  ]
}
