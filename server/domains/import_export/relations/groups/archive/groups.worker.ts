import { progressReporter, serve } from '../../../../../threads/serve.ts'
import { ArchiveProblem } from '../../../archive/unpack.ts'
import type { GroupsWork } from './messages.ts'
import { writeGroups } from './write-groups.ts'

serve<GroupsWork>((order, main) => writeGroups(order, progressReporter(main.report)), {
  problems: [ArchiveProblem],
})
