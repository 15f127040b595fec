import type { Ctx } from './ctx.ts'
import { ciAbilities, environmentAbilities, mayHearOfRunner } from './domains/ci/index.ts'
import { featureFlagAbilities } from './domains/feature_flags/index.ts'
import { group, type Group } from './domains/groups/index.ts'
import { integrationAbilities } from './domains/integrations/index.ts'
import { mayReadId } from './domains/planning/index.ts'
import { project, type Project } from './domains/projects/index.ts'
import { releaseAbilities } from './domains/releases/index.ts'
import { scimAbilities } from './domains/scim/index.ts'
import { exportAbilities } from './domains/import_export/index.ts'
import { groupHookAbilities, hookAbilities } from './domains/webhooks/index.ts'
import { mirrorAbilities } from './domains/mirrors/index.ts'
import { groupWikiAbilities, wikiAbilities } from './domains/wikis/index.ts'
import { canRead, isAble } from './policy/ability.ts'
import { REPORTER } from './policy/levels.ts'

/** What facts about webhooks and integrations say; they tell what else happens there. */
interface Outgoing {
  hook_id?: number
  integration_id?: number
  event_id?: number
}

/** What everybody sees: how the instance looks, and what it tells them. */
interface ForEverybody {
  appearance_id?: number
  broadcast_message_id?: number
}

interface Owned {
  /** Facts about runners alone say of which type they are. */
  runner_id?: number | null
  runner_type?: string
  project_id?: number
  group_id?: number
  user_id?: number
  actor_id?: number | null
  /** What an identity provider calls somebody. */
  extern_uid?: string
  /** The group that a deleted one was below. */
  parent_id?: number | null
}

/** What else facts about issues, merge requests and notes say. */
interface Planned {
  kind?: string
  id?: number
  issue_id?: number
  merge_request_id?: number
  noteable_type?: string
  noteable_id?: number | null
  confidential?: boolean
  internal?: boolean
}

/** What else facts about pipelines and what belongs to them say. */
interface OfPipelines {
  pipeline_id?: number
  job_id?: number
  schedule_id?: number
  environment_id?: number
  mirror_id?: number
  integration_id?: number
  feature_flag_id?: number
  user_list_id?: number
  release_id?: number
  export_id?: number
  wiki_page_id?: number
  /** Pages of a wiki that somebody pushed to. */
  pages?: readonly unknown[]
}

/** The ability that a fact about pipelines or feature flags asks for beyond seeing the project; undefined for other facts. */
function abilityFor(fact: OfPipelines) {
  if (fact.pipeline_id !== undefined || fact.job_id !== undefined) return ciAbilities.read_pipelines
  if (fact.schedule_id !== undefined) return ciAbilities.read_pipelines
  if (fact.feature_flag_id !== undefined || fact.user_list_id !== undefined)
    return featureFlagAbilities.read_feature_flags
  // They name the tag.
  if (fact.release_id !== undefined) return releaseAbilities.read_release_of_tag
  if (isOfWiki(fact)) return wikiAbilities.read_wiki
  if (fact.export_id !== undefined) return exportAbilities.export_project
  if (fact.mirror_id !== undefined) return mirrorAbilities.manage_remote_mirrors
  if (fact.integration_id !== undefined) return integrationAbilities.manage_integrations
  return fact.environment_id === undefined ? undefined : environmentAbilities.read_environment
}

/** Facts about wikis name their pages. */
function isOfWiki({ wiki_page_id, pages }: OfPipelines): boolean {
  return wiki_page_id !== undefined || pages !== undefined
}

function isForEverybody({ appearance_id, broadcast_message_id }: ForEverybody): boolean {
  return appearance_id !== undefined || broadcast_message_id !== undefined
}

function isOutgoing({ hook_id, integration_id, event_id }: Outgoing): boolean {
  return hook_id !== undefined || integration_id !== undefined || event_id !== undefined
}

/** Whether who sees a project may hear of what a fact is about: a confidential issue, or an internal note, is not for all. */
function mayHearOf(ctx: Ctx, owner: Project, fact: Planned & OfPipelines & Outgoing): boolean {
  if (isOutgoing(fact)) return isAble(ctx, project, hookAbilities.manage_hooks, owner)
  const ability = abilityFor(fact)
  if (ability) return isAble(ctx, project, ability, owner)
  if (fact.internal === true && project.roleOf(ctx, owner) < REPORTER) return false
  const [kind, id] =
    fact.issue_id !== undefined
      ? ['Issue', fact.issue_id]
      : fact.merge_request_id !== undefined
        ? ['MergeRequest', fact.merge_request_id]
        : [fact.noteable_type ?? fact.kind, fact.noteable_id ?? fact.id]
  if ((kind !== 'Issue' && kind !== 'MergeRequest') || id == null) return true
  return mayReadId(ctx, owner, { kind, id, wasSecret: fact.confidential === true })
}

/**
 * Whether a window may hear of a fact: of what its user can read, of what they did, and of themselves, so that who has
 * lost something hears of that too. The payload holds ids only, and the window reads the rest through the API.
 */
export function mayHear(ctx: Ctx, payload: unknown): boolean {
  if (ctx.actor.is_admin || isForEverybody(payload as ForEverybody)) return true
  const { project_id, group_id, user_id, actor_id, parent_id, runner_id, runner_type, extern_uid } =
    payload as Owned
  const { id } = ctx.actor
  if (id !== null && (user_id === id || actor_id === id)) return true
  if (runner_type !== undefined && runner_id) return mayHearOfRunner(ctx, { runner_id, project_id, group_id })
  if (project_id !== undefined) {
    const found = project.load(ctx, String(project_id))
    return (
      found !== undefined &&
      canRead(ctx, project, found) &&
      mayHearOf(ctx, found, payload as Planned & OfPipelines & Outgoing)
    )
  }
  if (group_id !== undefined) {
    const found = group.load(ctx, String(group_id)) ?? (parent_id && group.load(ctx, String(parent_id)))
    if (!found || !canRead(ctx, group, found as Group)) return false
    if (isOfWiki(payload as OfPipelines))
      return isAble(ctx, group, groupWikiAbilities.read_group_wiki, found as Group)
    if (extern_uid !== undefined) return isAble(ctx, group, scimAbilities.manage_group_scim, found as Group)
    return (
      !isOutgoing(payload as Outgoing) ||
      isAble(ctx, group, groupHookAbilities.manage_group_hooks, found as Group)
    )
  }
  return false
}
