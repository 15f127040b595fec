import { on, type Subscription } from '../../events/facts.ts'
import { ForkUnlinked } from '../forks/events.ts'
import { ProjectDeleted } from '../projects/events.ts'
import { projectById } from '../projects/index.ts'
import { refreshClosingIssues } from './closing.ts'
import { MergeRequestDeleted, MergeRequestPushed } from './events.ts'
import { closeBetween, closeOrphans } from './orphans.ts'
import { removeRefs } from './refs.ts'

export const subscribers: Subscription[] = [
  on(MergeRequestPushed, 'merge_requests.read_promises', async (ctx, fact) => {
    const project = projectById(ctx.db, fact.project_id)
    if (project) await refreshClosingIssues(ctx, project, fact.merge_request_id)
  }),
  on(MergeRequestDeleted, 'merge_requests.remove_refs', removeRefs),
  on(ForkUnlinked, 'merge_requests.close_between', closeBetween),
  on(ProjectDeleted, 'merge_requests.close_orphans', closeOrphans),
]
