import { progressReporter, serve } from '../../../../../threads/serve.ts'
import { ArchiveProblem } from '../../../archive/unpack.ts'
import type { GroupsWork } from './messages.ts'
import { writeGroups } from './write-groups.ts'

serve<GroupsWork>((task, main) => writeGroups(task, progressReporter(main.report)), {
  problems: [ArchiveProblem],
})
