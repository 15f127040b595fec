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
  const result = visibleSnippetAt(ctx, request.path)
  if (!result) return undefined
  const { snippet, project } = result
  checkGitAccess(ctx, project, request)
  if (request.purpose === 'write') checkMayPush(ctx, snippet, project)
  return { ctx, repo: repoOfSnippet(ctx, snippet), pushHandler: pushRulesOf(ctx, snippet.id) }
}

/** The snippet at a path, if the actor may see it. */
function visibleSnippetAt(
  ctx: Ctx,
  path: string,
): { snippet: SnippetRow; project: Project | undefined } | undefined {
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

/** Delay of `settlePush`, in milliseconds. Git has finished by then. */
const SETTLE_DELAY_MS = 60000

/** Checks and records pushes to a snippet. */
export function pushRulesOf(ctx: Ctx, id: number): PushHandler {
  return {
    async refusal(changes, pending) {
      const snippet = store.byId(ctx.db, id)
      if (!snippet) return 'The snippet no longer exists.'
      if (snippet.repository_read_only) return READ_ONLY
      return refusalOfRefs(snippet, changes) ?? (await refusalOfFiles(ctx, snippet, changes, pending))
    },
    announce(changes) {
      // The checks allow a single change: a new tip of the only branch.
      const commit = changes[0]!.new!
      const push = { snippet_id: id, actor_id: ctx.actor.id, commit, pushed_at: ctx.now }
      enqueue(ctx, settlePush, push, { delay: SETTLE_DELAY_MS })
      return (applied) =>
        settle(
          ctx,
          push,
          applied.some((change) => change.old !== change.new),
        )
    },
  }
}

/** Returns why changes of refs are refused, or undefined. A snippet has a single branch. */
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

/** An accepted push: the arguments of `settlePush`. */
interface SnippetPush {
  readonly snippet_id: number
  readonly actor_id: number | null
  readonly commit: string
  readonly pushed_at: string
}

/**
 * Records an announced push if the instance was killed before it did so. Recording a push withdraws this job.
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
  async (ctx, push) => {
    const snippet = store.byId(ctx.db, push.snippet_id)
    if (!snippet) return
    const repo = repoOfSnippet(ctx, snippet)
    await withWriteLock(repo, async () => {
      const hasMoved = (await branchTip(repo, snippet.default_branch)) === push.commit
      await settle(ctx, push, hasMoved)
    })
  },
)

/**
 * Announces a commit of the API like a push, so that `settlePush` records it after a crash. `withdraw` must be called
 * in the transaction that records the commit.
 */
export function commitAnnouncer(ctx: Ctx, { id: snippet_id }: Pick<SnippetRow, 'id'>) {
  let push: SnippetPush | undefined
  return {
    announce(commit: string): void {
      push = { snippet_id, actor_id: ctx.actor.id, commit, pushed_at: ctx.now }
      enqueue(ctx, settlePush, push, { delay: SETTLE_DELAY_MS })
    },
    withdraw: (): void => void (push && withdraw(ctx, settlePush, push)),
  }
}

/** Records a push in one transaction: columns, event and the withdrawal of the job. The caller holds the write lock. */
async function settle(ctx: Ctx, push: SnippetPush, hasMoved: boolean): Promise<void> {
  const snippet = store.byId(ctx.db, push.snippet_id)
  const repo = snippet && repoOfSnippet(ctx, snippet)
  const content = repo && hasMoved ? await contentOf(repo, push.commit) : undefined
  tx(ctx.db, () => {
    if (!withdraw(ctx, settlePush, push) || !content) return
    const current = store.byId(ctx.db, push.snippet_id)
    // The snippet was deleted in the meantime.
    if (!current) return
    store.update(ctx.db, current.id, {
      ...columnsOf(content, current.files),
      // A slow push may have started before other changes.
      updated_at: ctx.now > current.updated_at ? ctx.now : current.updated_at,
    })
    const { id: snippet_id, project_id } = current
    const owner = project_id === null ? {} : { project_id }
    publish(ctx, SnippetUpdated, { snippet_id, actor_id: push.actor_id, ...owner })
  })
}
