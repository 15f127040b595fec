import { boards } from './boards.ts'
import { ci_pipelines, pipeline_schedules } from './ci_pipelines.ts'
import { namespace_settings } from './groups.ts'
import { issues } from './issues.ts'
import { labels } from './labels.ts'
import { custom_attributes, members, project_members } from './members.ts'
import { merge_requests } from './merge_requests.ts'
import { milestones } from './milestones.ts'
import { commit_notes } from './notes.ts'
import {
  auto_devops,
  ci_cd_settings,
  container_expiration_policy,
  project,
  project_feature,
} from './project.ts'
import { approval_rules, protected_branches, protected_tags, push_rule } from './protections.ts'
import type { Relation } from './relation.ts'
import { releases } from './releases.ts'
import { snippets } from './snippets.ts'

/**
 * All relations in the order of an import. Relations to which others refer come first. The tree of a project has a file
 * `tree/project/<name>.ndjson` for each.
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
  namespace_settings,
  members,
]
