import { Reader } from '../../../../../db/reader.ts'
import { serve } from '../../../../../threads/serve.ts'
import { UnusableRecord } from '../../../relations/relation.ts'
import type { Batch, ImportWork } from './messages.ts'
import { TreeImport } from './tree-import.ts'

/** Maximum number of batches that wait to be written. */
const MAX_WAITING = 3

serve<ImportWork>(
  async (task, main) => {
    const waiting = new Set<Promise<void>>()
    const send = async (batch: Batch): Promise<void> => {
      while (waiting.size >= MAX_WAITING) await Promise.race(waiting)
      const written: Promise<void> = main.ask(batch).then(() => void waiting.delete(written))
      waiting.add(written)
    }
    const db = new Reader(task.database)
    try {
      const result = await new TreeImport(task, { say: main.report, send }, db).run()
      await Promise.all(waiting)
      return result
    } finally {
      db.close()
    }
  },
  { problems: [UnusableRecord] },
)
