import type { Ctx } from '../../../ctx.ts'
import { on, type Subscription } from '../../../events/publish.ts'
import { createCommit } from '../../../git/write/commit.ts'
import type { Identity } from '../../../git/write/identity.ts'
import { updateRefs } from '../../../git/write/refs.ts'
import { withWriteLock } from '../../../git/upkeep/repository.ts'
import { branchTip } from '../../../git/read/revisions.ts'
import { ARCHIVE_SOURCE } from '../../../lib/aliases.ts'
import { beginRun, failRun, finishRun, startRun } from '../imports/runs.ts'
import { currentTime } from '../imports/running.ts'
import { reasonOf } from '../imports/status.ts'
import { ProjectFirstContentScheduled } from '../../projects/events.ts'
import {
  isBuiltInTemplate,
  prepareRepository,
  projectById,
  protectDefaultBranch,
  repoOf,
  type Project,
} from '../../projects/index.ts'
import { requestStatistics } from '../../repository/index.ts'
import { userById } from '../../users/index.ts'
import { TEMPLATES } from './catalogue.ts'
import { fillTemplate, type ProjectTemplate } from './template.ts'

export const subscribers: Subscription[] = [
  on(ProjectFirstContentScheduled, 'project_templates.begin', startTemplateImport, { inside: true }),
  on(ProjectFirstContentScheduled, 'project_templates.commit', commitTemplate),
]

interface FirstCommitRequest {
  readonly project_id: number
  readonly actor_id: number | null
  readonly template_name: string
}

/**
 * Begins an import, because a template counts as an import from an archive (spec administration 6.6). Runs in the
 * transaction of the project.
 */
function startTemplateImport(ctx: Ctx, { project_id, template_name }: FirstCommitRequest): void {
  if (!isBuiltInTemplate(template_name)) return
  beginRun(
    ctx,
    { id: project_id },
    {
      import_type: ARCHIVE_SOURCE,
      import_source: TEMPLATES[template_name].title,
    },
  )
}

/** Creates the first commit of a project from its template. May be repeated after an interruption. */
async function commitTemplate(
  ctx: Ctx,
  { project_id, actor_id, template_name }: FirstCommitRequest,
): Promise<void> {
  const run = isBuiltInTemplate(template_name) ? startRun(ctx, project_id) : null
  if (!run || !isBuiltInTemplate(template_name)) return
  try {
    await prepareRepository(ctx, run.project)
    await commitFiles(ctx, run.project, { template: TEMPLATES[template_name], authorId: actor_id })
    finishImport(ctx, run.project)
  } catch (error) {
    ctx.log.warn({ err: error, project_id }, 'the files of a project template could not be committed')
    failRun(ctx, project_id, reasonOf(error, 'The files of the template could not be stored.'))
  }
}

async function commitFiles(
  ctx: Ctx,
  project: Project,
  { template, authorId }: { template: ProjectTemplate; authorId: number | null },
): Promise<void> {
  const repo = repoOf(ctx, project)
  await withWriteLock(repo, async () => {
    if ((await branchTip(repo, project.default_branch)) !== null) return
    const author = authorOf(ctx, authorId)
    const actions = fillTemplate(template, project).map(({ path, text }) => ({
      action: 'create' as const,
      path,
      content: Buffer.from(text),
    }))
    const message = `Begin with the template “${template.title}”`
    const commit = await createCommit(repo, null, actions, {
      parents: [],
      message,
      author,
      committer: author,
    })
    await updateRefs(repo, [{ ref: `refs/heads/${project.default_branch}`, old: null, new: commit.id }])
  })
}

function authorOf(ctx: Ctx, userId: number | null): Identity {
  const user = userId === null ? undefined : userById(ctx.db, userId)
  const date = new Date(ctx.now)
  return user
    ? { name: user.name, email: user.commit_email || user.email, date }
    : { name: 'Deskforge', email: 'deskforge@localhost', date }
}

function finishImport(ctx: Ctx, project: Project): void {
  const current = projectById(ctx.db, project.id)
  // The project was deleted or its import was canceled in the meantime.
  if (current?.import_status !== 'started') return
  protectDefaultBranch(ctx, current)
  finishRun(ctx, project.id, {
    columns: {
      empty_repo: false,
      commit_count: 1,
      readme_path: 'README.md',
      last_activity_at: currentTime(ctx),
    },
  })
  requestStatistics(ctx, project.id)
}
