import { section, unproven } from '../section.ts'

export const statements = section('Repository storage move', async () => ({}), [
  unproven(
    'A move record carries a `state` field whose value `finished` means the move completed. Fields of a repository storage move record: not shown beyond state.',
    'A move needs a second storage; test/api/admin/storage_moves and the kill test make moves until they are finished.',
  ),
])
