import { progressReporter, serve } from '../../../../../threads/serve.ts'
import { ArchiveProblem } from '../../../archive/unpack.ts'
import type { ExportWork } from './messages.ts'
import { writeProject } from './write-archive.ts'

serve<ExportWork>(
  (task, main) =>
    writeProject(task, { progress: progressReporter(main.report), bundles: () => main.ask('pinned') }),
  { problems: [ArchiveProblem] },
)
