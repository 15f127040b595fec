import { approval_rules } from './approval_rules.ts'
import { boards } from './boards.ts'
import { ci_pipelines } from './ci_pipelines.ts'
import { commit_notes } from './commit_notes.ts'
import { custom_attributes } from './custom_attributes.ts'
import { members } from './groups/members.ts'
import { namespaceSettings } from './groups/namespace_settings.ts'
import { issues } from './issues.ts'
import { labels } from './labels.ts'
import { merge_requests } from './merge_requests.ts'
import { milestones } from './milestones.ts'
import { pipeline_schedules } from './pipeline_schedules.ts'
import { project } from './project.ts'
import { project_feature } from './project_feature.ts'
import { project_members } from './project_members.ts'
import { auto_devops, ci_cd_settings, container_expiration_policy } from './project_settings.ts'
import { protected_branches, protected_tags } from './protections.ts'
import { push_rule } from './push_rule.ts'
import type { Relation } from './relation.ts'
import { releases } from './releases.ts'
import { snippets } from './snippets.ts'

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
  protected_branches,
  protected_tags,
  push_rule,
  approval_rules,
  project_members,
  custom_attributes,
  boards,
  issues,
  merge_requests,
  ci_pipelines,
  pipeline_schedules,
  releases,
  snippets,
  commit_notes,
  namespaceSettings,
  members,
]
