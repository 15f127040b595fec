import type { Ctx } from '../../ctx.ts'
import { enqueue } from '../../jobs/job.ts'
import { type Ability, canRead, hasAbility, type Scope } from '../../policy/ability.ts'
import { findGroup, group as groupScope } from '../groups/index.ts'
import { featureLevel, project as projectScope } from '../projects/index.ts'
import {
  checkGitAccess,
  type GitRequest,
  type GitTarget,
  isDeployCredentialOf,
  projectAt,
  type PushHandler,
  type RefChange,
  Refusal,
} from '../repository/index.ts'
import { SETTLE_DELAY_MS, type Move, settle, settleMove } from './jobs.ts'
import { abilities, groupAbilities } from './policy.ts'
import { notWritable, prepareWiki, repoOfWiki } from './service-repository.ts'
import * as store from './store.ts'
import type { WikiOwner, WikiRow } from './types.ts'

/** The actor's permissions for the repository of a wiki. */
interface Permissions {
  readonly read: boolean
  readonly write: boolean
}

/**
 * The repository of a wiki, at `<project or group path>.wiki`. A project with that path takes precedence. The
 * repository is created on first use. Deploy tokens and deploy keys may read the wikis of their projects.
 */
export async function openWiki(ctx: Ctx, request: GitRequest): Promise<GitTarget | undefined> {
  const owner = ownerAt(ctx, request.path)
  const permissions = owner && permissionsOf(ctx, owner)
  if (!owner || !permissions) return undefined
  const isAllowed = permissions[request.purpose]
  // Without a target, the answer asks git for a password.
  if (ctx.actor.kind === 'anonymous' && !isAllowed) return undefined
  checkGitAccess(ctx, owner.project ?? owner.group, request)
  if (!permissions.read) throw new Refusal(403, 'You are not allowed to download files from this wiki.')
  if (!isAllowed) throw new Refusal(403, 'You are not allowed to write to this wiki.')
  const wiki = await prepareWiki(ctx, owner)
  const problem = request.purpose === 'write' ? notWritable(ctx, wiki) : undefined
  if (problem) throw new Refusal(403, problem)
  return { ctx, repo: repoOfWiki(ctx, wiki), pushHandler: pushRulesOf(ctx, wiki.id) }
}

function ownerAt(ctx: Ctx, path: string): WikiOwner | undefined {
  if (!path.endsWith('.wiki') || projectAt(ctx, path)) return undefined
  const ownerPath = path.slice(0, -'.wiki'.length)
  const project = projectAt(ctx, ownerPath)
  if (project) return { project }
  if (/^\d+$/.test(ownerPath)) return undefined
  const group = findGroup(ctx, ownerPath) ?? groupScope.moved?.(ctx, ownerPath)
  return group && { group }
}

const projectAbilities = { read: abilities.read_wiki, write: abilities.create_wiki }
const groupWikiAbilities = { read: groupAbilities.read_group_wiki, write: groupAbilities.create_group_wiki }

/** The actor's permissions; undefined if they may not see the owner. */
function permissionsOf(ctx: Ctx, { project, group }: WikiOwner): Permissions | undefined {
  const isMachine = project ? isDeployCredentialOf(ctx, project) : false
  if (ctx.actor.kind === 'deploy_token' && !isMachine) return undefined
  if (!project) return permissionsOn(ctx, groupScope, groupWikiAbilities, group!)
  if (!isMachine) return permissionsOn(ctx, projectScope, projectAbilities, project)
  return { read: featureLevel(project, 'wiki') !== 'disabled', write: false }
}

function permissionsOn<Owner>(
  ctx: Ctx,
  scope: Scope<string, Owner>,
  { read, write }: { readonly read: Ability<Owner>; readonly write: Ability<Owner> },
  owner: Owner,
): Permissions | undefined {
  if (!canRead(ctx, scope, owner)) return undefined
  // Ignores that a project is archived: `notWritable` refuses it with a sentence of its own.
  return {
    read: hasAbility(ctx, scope, read, owner),
    write: hasAbility(ctx, scope, write, owner),
  }
}

/** Checks and records pushes to a wiki. */
export function pushRulesOf(ctx: Ctx, id: number): PushHandler {
  return {
    refusal: async (changes) => {
      const wiki = store.byId(ctx.db, id)
      if (!wiki) return 'The wiki no longer exists.'
      return notWritable(ctx, wiki) ?? refusalOfRefs(wiki, changes)
    },
    announce(changes) {
      const move: Move = {
        wiki_id: id,
        actor_id: ctx.actor.id,
        changes: changes.map(({ ref, old, new: next }) => ({ ref, old, new: next })),
        moved_at: ctx.now,
      }
      enqueue(ctx, settleMove, move, { delay: SETTLE_DELAY_MS })
      return (applied) =>
        settle(
          ctx,
          move,
          applied.map(({ ref, old, new: next }) => ({ ref, old, new: next })),
        )
    },
  }
}

/**
 * Returns why changes of refs are refused, or undefined. A wiki has only branches, and its default branch cannot be
 * deleted.
 */
function refusalOfRefs({ default_branch }: WikiRow, changes: readonly RefChange[]): string | undefined {
  for (const change of changes) {
    if (!change.ref.startsWith('refs/heads/')) return 'A wiki has branches only; nothing else can be pushed.'
    const isDefault = change.ref === `refs/heads/${default_branch}`
    if (isDefault && change.new === null) return `The branch ${default_branch} of a wiki cannot be deleted.`
  }
  return undefined
}
