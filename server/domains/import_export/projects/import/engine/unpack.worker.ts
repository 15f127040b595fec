import { progressReporter, serve } from '../../../../../threads/serve.ts'
import { unpackArchive, ArchiveProblem } from '../../../archive/unpack.ts'
import { shortenSnippets } from './snippet-records.ts'
import type { UnpackWork } from './steps/files.ts'

serve<UnpackWork>(
  async ({ file, folder, limits }, main) => {
    const report = progressReporter(main.report)
    await unpackArchive(file, folder, limits, { onBytes: (done, total) => report({ done, total }) })
    await shortenSnippets(folder)
  },
  { problems: [ArchiveProblem] },
)
