import { on, type Subscription } from '../../events/publish.ts'
import { ForkUnlinked } from '../forks/events.ts'
import { ProjectDeleted } from '../projects/events.ts'
import { projectById } from '../projects/index.ts'
import { refreshClosingIssues } from './closing.ts'
import { MergeRequestDeleted, MergeRequestPushed } from './events.ts'
import { closeBetween, closeOrphans } from './orphans.ts'
import { removeRefs } from './refs.ts'

export const subscribers: Subscription[] = [
  on(MergeRequestPushed, 'merge_requests.read_promises', async (ctx, event) => {
    const project = projectById(ctx.db, event.project_id)
    if (project) await refreshClosingIssues(ctx, project, event.merge_request_id)
  }),
  on(MergeRequestDeleted, 'merge_requests.remove_refs', removeRefs),
  on(ForkUnlinked, 'merge_requests.close_between', closeBetween),
  on(ProjectDeleted, 'merge_requests.close_orphans', closeOrphans),
]
