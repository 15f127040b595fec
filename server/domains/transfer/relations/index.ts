import { boards } from './boards.ts'
import { commit_notes } from './commit_notes.ts'
import { custom_attributes } from './custom_attributes.ts'
import { members } from './groups/members.ts'
import { namespaceSettings } from './groups/namespace_settings.ts'
import { issues } from './issues.ts'
import { labels } from './labels.ts'
import { merge_requests } from './merge_requests.ts'
import { milestones } from './milestones.ts'
import { project } from './project.ts'
import { project_feature } from './project_feature.ts'
import { auto_devops, ci_cd_settings, container_expiration_policy } from './project_settings.ts'
import type { Relation } from './relation.ts'

/**
 * All relations, in the order in which an archive is taken over: what others refer to comes first. The tree of a project has a
 * file `tree/project/<name>.ndjson` for each.
 */
export const RELATIONS: readonly Relation[] = [
  project,
  project_feature,
  ci_cd_settings,
  auto_devops,
  container_expiration_policy,
  labels,
  milestones,
  custom_attributes,
  boards,
  issues,
  merge_requests,
  commit_notes,
  namespaceSettings,
  members,
]
