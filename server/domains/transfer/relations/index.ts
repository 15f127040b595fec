import { members } from './groups/members.ts'
import { namespaceSettings } from './groups/namespace_settings.ts'
import { merge_requests } from './merge_requests.ts'
import type { Relation } from './relation.ts'

/**
 * All relations, in the order in which an archive is taken over: what others refer to comes first. The tree of a project has a
 * file `tree/project/<name>.ndjson` for each.
 */
export const RELATIONS: readonly Relation[] = [
  merge_requests,
  namespaceSettings,
  members,
]
