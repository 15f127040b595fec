import { z } from 'zod'
import { event } from '../../events/event.ts'

/** The maximum number of refs in one event. A larger push is published as several events. */
export const MAX_UPDATES = 200

/**
 * Branches or tags moved, by push, API, merge or pull mirror. `old` is null for a new ref, `new` for a deleted one.
 * A push of many refs is published in parts, numbered from 1.
 */
export const RefsUpdated = event('refs.updated', {
  project_id: z.number(),
  actor_id: z.number().nullable(),
  source: z.enum(['push', 'api', 'merge', 'mirror']),
  updates: z
    .array(z.object({ ref: z.string(), old: z.string().nullable(), new: z.string().nullable() }))
    .max(MAX_UPDATES),
  part: z.number(),
  parts: z.number(),
  /** The numbers of branches and tags that moved in all parts together. */
  branches: z.number(),
  tags: z.number(),
  /** The options of `git push -o`. */
  push_options: z.array(z.string()).optional(),
})

/** The size and counts of a repository were recalculated, shortly after its refs moved. */
export const StatisticsUpdated = event('repository.statistics_updated', { project_id: z.number() })

/** A branch or pattern was protected or unprotected, or its protection changed. */
export const ProtectedBranchesChanged = event('protected_branches.changed', {
  project_id: z.number(),
  actor_id: z.number().nullable(),
  name: z.string(),
  action: z.enum(['protected', 'changed', 'unprotected']),
})

/** A tag or pattern was protected or unprotected. */
export const ProtectedTagsChanged = event('protected_tags.changed', {
  project_id: z.number(),
  actor_id: z.number().nullable(),
  name: z.string(),
  action: z.enum(['protected', 'unprotected']),
})

/** A user downloaded more projects than the settings allow; `is_banned` if the settings ban the user for it. */
export const DownloadsExceeded = event('repository.downloads_exceeded', {
  user_id: z.number(),
  count: z.number(),
  is_banned: z.boolean(),
})

const key = { project_id: z.number(), key_id: z.number(), actor_id: z.number().nullable() }

/** A deploy key got read or write access to a project. */
export const DeployKeyEnabled = event('deploy_key.enabled', { ...key, can_push: z.boolean() })

/** The title of a deploy key or its write access changed. */
export const DeployKeyUpdated = event('deploy_key.updated', { ...key, can_push: z.boolean() })

/** A deploy key lost its access to a project. */
export const DeployKeyDisabled = event('deploy_key.disabled', key)

const token = {
  /** The owner of the token is a project or a group, so exactly one of the two is set. */
  project_id: z.number().optional(),
  group_id: z.number().optional(),
  token_id: z.number(),
  actor_id: z.number().nullable(),
}

/** A deploy token was created. */
export const DeployTokenCreated = event('deploy_token.created', token)

/** A deploy token was revoked. */
export const DeployTokenRemoved = event('deploy_token.removed', token)

/** The push rule of a project, of a group or (without IDs) of the instance was created, updated or deleted. */
export const PushRuleChanged = event('push_rule.changed', {
  project_id: z.number().optional(),
  group_id: z.number().optional(),
  action: z.enum(['created', 'updated', 'deleted']),
  /** The names of the changed columns. */
  changed: z.array(z.string()),
  actor_id: z.number().nullable(),
})
