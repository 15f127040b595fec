import { Reader } from '../../../../../db/reader.ts'
import { serve } from '../../../../../threads/serve.ts'
import { UnusableRecord } from '../../../relations/relation.ts'
import type { Batch, ImportWork } from './messages.ts'
import { TreeImport } from './tree-import.ts'

/** Maximum number of batches that wait to be written. */
const MAX_PENDING = 3

serve<ImportWork>(
  async (task, main) => {
    const pending = new Set<Promise<void>>()
    const send = async (batch: Batch): Promise<void> => {
      while (pending.size >= MAX_PENDING) await Promise.race(pending)
      const sent: Promise<void> = main.ask(batch).then(() => void pending.delete(sent))
      pending.add(sent)
    }
    const db = new Reader(task.database)
    try {
      const result = await new TreeImport(task, { report: main.report, send }, db).run()
      await Promise.all(pending)
      return result
    } finally {
      db.close()
    }
  },
  { problems: [UnusableRecord] },
)
