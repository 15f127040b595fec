import { z } from 'zod'

import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { filesOfNewCommit, quarantineSize } from '../../git/transport/pushed.ts'
import type { PendingPush } from '../../git/transport/receive-pack.ts'
import { withWriteLock } from '../../git/upkeep/repository.ts'
import { branchTip } from '../../git/read/revisions.ts'
import { enqueue, job, withdraw } from '../../jobs/job.ts'
import { canRead, hasAbility } from '../../policy/ability.ts'
import { type Project, project as scope } from '../projects/index.ts'
import {
  checkGitAccess,
  type GitRequest,
  type GitTarget,
  readOnlyProblem,
  projectAt,
  type PushHandler,
  READ_ONLY,
  type RefChange,
  Refusal,
} from '../repository/index.ts'
import { settingsOf } from '../settings/index.ts'
import { SnippetUpdated } from './events.ts'
import { abilities, canChange, canSee } from './policy.ts'
import { columnsOf, contentOf, MAX_FILES, repoOfSnippet } from './service-repository.ts'
import * as store from './store.ts'
import { type SnippetRow } from './types.ts'

const ADDRESS = /^(?:(.+)\/)?snippets\/(\d{1,15})$/

/**
 * The repository of a snippet, at `snippets/<id>` or `<project path>/snippets/<id>`. Users who may see a snippet may
 * clone it, and users who may change it may push. Deploy tokens and deploy keys have no access.
 */
export function openSnippet(ctx: Ctx, request: GitRequest): GitTarget | undefined {
  const { kind } = ctx.actor
  if (kind !== 'user' && (kind !== 'anonymous' || request.purpose === 'write')) return undefined
  const result = seen(ctx, request.path)
  if (!result) return undefined
  const { snippet, project } = result
  checkGitAccess(ctx, project, request)
  if (request.purpose === 'write') checkMayPush(ctx, snippet, project)
  return { ctx, repo: repoOfSnippet(ctx, snippet), pushHandler: rulesOf(ctx, snippet.id) }
}

/** The snippet at a path, if the actor may see it. */
function seen(ctx: Ctx, path: string): { snippet: SnippetRow; project: Project | undefined } | undefined {
  const [, projectPath, id] = ADDRESS.exec(path) ?? []
  if (id === undefined) return undefined
  const project = projectPath === undefined ? undefined : projectAt(ctx, projectPath)
  const snippet = store.byId(ctx.db, Number(id))
  if (!snippet || snippet.project_id !== (project?.id ?? null)) return undefined
  if (projectPath !== undefined && !(project && showsSnippets(ctx, project))) return undefined
  return canSee(ctx, snippet, project) ? { snippet, project } : undefined
}

function showsSnippets(ctx: Ctx, project: Project): boolean {
  return canRead(ctx, scope, project) && hasAbility(ctx, scope, abilities.read_snippets, project)
}

function checkMayPush(ctx: Ctx, snippet: SnippetRow, project: Project | undefined): void {
  const { repository_read_only } = snippet
  const problem = readOnlyProblem({ archived: project?.archived ?? false, repository_read_only })
  if (problem) throw new Refusal(403, problem)
  const mayTry = !project || hasAbility(ctx, scope, abilities.change_snippet, project, true)
  if (!mayTry || !canChange(ctx, snippet, project))
    throw new Refusal(403, 'You are not allowed to change this snippet.')
}

/** Delay of the job that settles an unrecorded push, in milliseconds: git has finished by then. */
const LOOK_AFTER_MS = 60000

/** Checks and records pushes to a snippet. */
export function rulesOf(ctx: Ctx, id: number): PushHandler {
  return {
    async refusal(changes, push) {
      const snippet = store.byId(ctx.db, id)
      if (!snippet) return 'The snippet no longer exists.'
      if (snippet.repository_read_only) return READ_ONLY
      return refusalOfRefs(snippet, changes) ?? (await refusalOfFiles(ctx, snippet, changes, push))
    },
    announce(changes) {
      // The checks allow a single change: a new tip of the only branch.
      const commit = changes[0]!.new!
      const pushed = { snippet_id: id, actor_id: ctx.actor.id, commit, pushed_at: ctx.now }
      enqueue(ctx, settlePush, pushed, { delay: LOOK_AFTER_MS })
      return (applied) =>
        settle(
          ctx,
          pushed,
          applied.some((change) => change.old !== change.new),
        )
    },
  }
}

/** Returns the reason for which changes of refs are refused: a snippet has a single branch. */
function refusalOfRefs({ default_branch }: SnippetRow, changes: readonly RefChange[]): string | undefined {
  for (const change of changes) {
    if (change.ref.startsWith('refs/tags/')) return 'A snippet has no tags.'
    if (change.ref !== `refs/heads/${default_branch}`)
      return `A snippet has only the branch ${default_branch}; nothing else can be pushed.`
    if (change.new === null) return `The branch ${default_branch} of a snippet cannot be deleted.`
  }
  return undefined
}

async function refusalOfFiles(
  ctx: Ctx,
  snippet: SnippetRow,
  changes: readonly RefChange[],
  { quarantineEnv: env, signal }: PendingPush,
): Promise<string | undefined> {
  const repo = repoOfSnippet(ctx, snippet)
  const files = await filesOfNewCommit(repo, { tips: [changes[0]!.new!], env, signal }, MAX_FILES + 1)
  if (files.length === 0) return 'A snippet needs at least one file.'
  if (files.length > MAX_FILES) return `A snippet can have at most ${MAX_FILES} files.`
  if (files.some((file) => file.size === null)) return 'A snippet cannot contain other repositories.'
  const { snippet_size_limit: limit } = settingsOf(ctx)
  const bytes = files.reduce((sum, file) => sum + (file.size ?? 0), 0)
  const isTooLarge = limit > 0 && Math.max(bytes, await quarantineSize(env)) > limit
  return isTooLarge ? `The files of a snippet can have at most ${limit} bytes.` : undefined
}

/** An accepted push, as arguments of its job. */
interface Pushed {
  readonly snippet_id: number
  readonly actor_id: number | null
  readonly commit: string
  readonly pushed_at: string
}

/**
 * Settles an announced push that was not recorded because the instance was killed. Recording a push removes its job.
 */
export const settlePush = job(
  'snippets.settle_push',
  {
    args: {
      snippet_id: z.number(),
      actor_id: z.number().nullable(),
      commit: z.string(),
      pushed_at: z.string(),
    },
    resumes: true,
  },
  async (ctx, pushed) => {
    const snippet = store.byId(ctx.db, pushed.snippet_id)
    if (!snippet) return
    const repo = repoOfSnippet(ctx, snippet)
    await withWriteLock(repo, async () => {
      const isMoved = (await branchTip(repo, snippet.default_branch)) === pushed.commit
      await settle(ctx, pushed, isMoved)
    })
  },
)

/**
 * Announces a commit of the API like a push, so that the job records it after a crash. Call `end` in the transaction
 * that records the commit.
 */
export function announcedBy(ctx: Ctx, { id: snippet_id }: Pick<SnippetRow, 'id'>) {
  let pushed: Pushed | undefined
  return {
    announce(commit: string): void {
      pushed = { snippet_id, actor_id: ctx.actor.id, commit, pushed_at: ctx.now }
      enqueue(ctx, settlePush, pushed, { delay: LOOK_AFTER_MS })
    },
    end: (): void => void (pushed && withdraw(ctx, settlePush, pushed)),
  }
}

/** Records a push under the write lock, in one transaction: columns, event and the end of the job. */
async function settle(ctx: Ctx, pushed: Pushed, isMoved: boolean): Promise<void> {
  const snippet = store.byId(ctx.db, pushed.snippet_id)
  const repo = snippet && repoOfSnippet(ctx, snippet)
  const now = repo && isMoved ? await contentOf(repo, pushed.commit) : undefined
  tx(ctx.db, () => {
    if (!withdraw(ctx, settlePush, pushed) || !now) return
    const current = store.byId(ctx.db, pushed.snippet_id)
    // Deleted in the meantime.
    if (!current) return
    store.update(ctx.db, current.id, {
      ...columnsOf(now, current.files),
      // A slow push may have started before other changes.
      updated_at: ctx.now > current.updated_at ? ctx.now : current.updated_at,
    })
    const { id: snippet_id, project_id } = current
    const owner = project_id === null ? {} : { project_id }
    publish(ctx, SnippetUpdated, { snippet_id, actor_id: pushed.actor_id, ...owner })
  })
}
