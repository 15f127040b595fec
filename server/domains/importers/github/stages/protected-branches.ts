import { tx } from '../../../../db/database.ts'
import { DEVELOPER, MAINTAINER } from '../../../../policy/levels.ts'
import {
  defaultBranchProtection,
  projectById,
  updateProjectRow,
  type Project,
} from '../../../projects/index.ts'
import { flag, inner, text, type Fields } from '../client/fields.ts'
import { repoPath, take, walk, type Work } from '../work.ts'
import type { Stage } from './stage.ts'

/** Stage 11: protected branches, and what their rules mean for the project. */
export const protectedBranches: Stage = {
  name: 'protected_branches',
  run(work) {
    const list = {
      path: `${repoPath(work)}/branches`,
      query: { protected: 'true' },
      stat: 'protected_branch',
      counts: isProtected,
    }
    return walk(work, list, (item) => (isProtected(item) ? takeProtection(work, item) : undefined))
  },
}

const isProtected = (item: Fields): boolean => flag(item, 'protected')

async function takeProtection(work: Work, item: Fields): Promise<void> {
  const name = text(item, 'name') ?? ''
  const taking = {
    stat: 'protected_branch',
    mark: 'protected_branch',
    key: name,
    name: `Protected branch ${name}`,
  }
  await take(work, taking, async () => {
    const rules = await work.client.one(`${repoPath(work)}/branches/${encodeURIComponent(name)}/protection`)
    const { ctx, projectId } = work
    const project = projectById(ctx.db, projectId)
    if (!project) return null
    return tx(ctx.db, () => {
      if (name === project.default_branch) applyToProject(work, project, rules)
      return work.landing.protectedBranch({
        source_key: name,
        name,
        ...levelsOf(work, project, rules),
        allow_force_push: isOn(rules, 'allow_force_pushes'),
      })
    })
  })
}

const isOn = (rules: Fields, name: string): boolean => flag(inner(rules, name), 'enabled')

/** With reviews required nobody pushes; otherwise as new projects have it here. Merging is what is stricter of here and there. */
function levelsOf(work: Work, project: Project, rules: Fields): { push: 0 | 30 | 40; merge: 30 | 40 } {
  const protection = defaultBranchProtection(work.ctx, project)
  const isReviewed = inner(rules, 'required_pull_request_reviews') !== null
  return {
    push: isReviewed ? 0 : protection <= 1 ? DEVELOPER : MAINTAINER,
    merge: protection === 2 || protection === 4 ? MAINTAINER : DEVELOPER,
  } as { push: 0 | 30 | 40; merge: 30 | 40 }
}

function applyToProject({ ctx }: Work, project: Project, rules: Fields): void {
  if (isOn(rules, 'required_conversation_resolution'))
    updateProjectRow(ctx.db, project.id, { only_allow_merge_if_all_discussions_are_resolved: true })
  if (!isOn(rules, 'required_signatures')) return
  ctx.db.exec(
    `INSERT INTO push_rules (project_id, reject_unsigned_commits, created_at, updated_at) VALUES (?, 1, ?, ?)
     ON CONFLICT (project_id) DO UPDATE SET reject_unsigned_commits = 1, updated_at = excluded.updated_at`,
    project.id,
    ctx.now,
    ctx.now,
  )
}
