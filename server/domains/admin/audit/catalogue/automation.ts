import type { Subscription } from '../../../../events/publish.ts'
import {
  RunnerChanged,
  SecureFileCreated,
  SecureFileRemoved,
  VariableCreated,
  VariableRemoved,
  VariableUpdated,
} from '../../../ci/events.ts'
import { FeatureFlagChanged, UserListChanged } from '../../../feature_flags/events.ts'
import { IntegrationChanged } from '../../../integrations/events.ts'
import { ApprovalRuleChanged } from '../../../merge_requests/events.ts'
import { PullMirrorChanged, RemoteMirrorChanged } from '../../../mirrors/events.ts'
import {
  PushRuleChanged,
  ProtectedBranchesChanged,
  ProtectedTagsChanged,
} from '../../../repository/events.ts'
import { ReleaseCreated, ReleaseDeleted, ReleaseUpdated } from '../../../releases/events.ts'
import { HookChanged } from '../../../webhooks/events.ts'
import type { NameLookup } from '../store.ts'
import { audited, type Draft } from '../record.ts'
import { columnWords, verb } from './changes.ts'

interface Variable {
  readonly project_id?: number | undefined
  readonly group_id?: number | undefined
  readonly variable_id: number
}

function variableDraft(event: Variable, lookup: NameLookup, action: string): Draft {
  const key = lookup.name('ci_variables', 'key', event.variable_id)
  return {
    name: `ci_variable_${action}`,
    message: `${verb(action)} CI/CD variable ${key}`,
    entity: lookup.scope(event),
    target: { type: 'Ci::Variable', id: event.variable_id, details: key },
  }
}

interface Protection {
  readonly project_id: number
  readonly name: string
  readonly action: string
}

function protectionDraft(event: Protection, lookup: NameLookup, kind: 'branch' | 'tag'): Draft {
  const action = event.action === 'changed' ? 'Changed the protection of' : verb(event.action)
  return {
    name: `protected_${kind}_${event.action}`,
    message: `${action} ${kind} ${event.name}`,
    entity: lookup.project(event.project_id),
    target: { type: kind === 'branch' ? 'ProtectedBranch' : 'ProtectedTag', id: null, details: event.name },
  }
}

interface Release {
  readonly project_id: number
  readonly release_id: number
  readonly tag: string
}

function releaseDraft(event: Release, lookup: NameLookup, action: string): Draft {
  return {
    name: `release_${action}`,
    message: `${verb(action)} release ${event.tag}`,
    entity: lookup.project(event.project_id),
    target: { type: 'Release', id: event.release_id, details: event.tag },
  }
}

function secureFileDraft(
  event: { project_id: number; secure_file_id: number },
  lookup: NameLookup,
  action: string,
): Draft {
  const name = lookup.name('secure_files', 'name', event.secure_file_id)
  return {
    name: `secure_file_${action}`,
    message: `${verb(action)} secure file ${name}`.trim(),
    entity: lookup.project(event.project_id),
    target: { type: 'Ci::SecureFile', id: event.secure_file_id, details: name },
  }
}

/**
 * Audits protections, approval rules, push rules, mirrors, webhooks, integrations, CI/CD, feature flags and releases.
 */
export const automation: Subscription[] = [
  audited(ProtectedBranchesChanged, (event, lookup) => protectionDraft(event, lookup, 'branch')),
  audited(ProtectedTagsChanged, (event, lookup) => protectionDraft(event, lookup, 'tag')),
  audited(ApprovalRuleChanged, (event, lookup) => {
    const name = lookup.name('approval_rules', 'name', event.approval_rule_id)
    const required = lookup.name('approval_rules', 'approvals_required', event.approval_rule_id)
    return {
      name: `approval_rule_${event.action}`,
      message: `${verb(event.action)} approval rule ${name} (${required} required)`,
      entity: lookup.project(event.project_id),
      target: { type: 'ApprovalProjectRule', id: event.approval_rule_id, details: name },
    }
  }),
  audited(PushRuleChanged, (event, lookup) => ({
    name: `push_rule_${event.action}`,
    message: [`${verb(event.action)} push rules`, event.changed.map(columnWords).join(', ')]
      .filter(Boolean)
      .join(': '),
    entity: lookup.scope(event),
    details: { changed: event.changed },
  })),
  audited(RemoteMirrorChanged, (event, lookup) =>
    event.action === 'synced'
      ? undefined
      : {
          name: `remote_mirror_${event.action}`,
          message: `${verb(event.action)} push mirror ${event.mirror_id}`,
          entity: lookup.project(event.project_id),
          target: { type: 'RemoteMirror', id: event.mirror_id, details: String(event.mirror_id) },
        },
  ),
  // Only changes by a user are audited, not the updates of the mirror.
  audited(PullMirrorChanged, (event, lookup) =>
    event.actor_id === null || event.update_status !== 'none'
      ? undefined
      : {
          name: 'pull_mirror_updated',
          message: 'Changed the source of the pull mirror',
          entity: lookup.project(event.project_id),
        },
  ),
  audited(HookChanged, (event, lookup) =>
    event.actor_id === null
      ? undefined
      : {
          name: `web_hook_${event.action}`,
          message: `${verb(event.action)} webhook ${event.hook_id}`,
          entity: lookup.scope(event),
          target: { type: 'WebHook', id: event.hook_id, details: String(event.hook_id) },
        },
  ),
  audited(IntegrationChanged, (event, lookup) => ({
    name: 'integration_updated',
    message: `${event.active ? 'Changed' : 'Switched off'} integration ${event.slug}`,
    entity: lookup.project(event.project_id),
    target: { type: 'Integration', id: event.integration_id, details: event.slug },
  })),
  audited(VariableCreated, (event, lookup) => variableDraft(event, lookup, 'created')),
  audited(VariableUpdated, (event, lookup) => variableDraft(event, lookup, 'updated')),
  audited(VariableRemoved, (event, lookup) => variableDraft(event, lookup, 'deleted')),
  audited(RunnerChanged, (event, lookup) => {
    if (event.action === 'changed' && event.actor_id === null) return undefined
    const details = lookup.name('runners', 'description', event.runner_id)
    return {
      name: `ci_runner_${event.action}`,
      message: `${verb(event.action)} runner ${details === '' ? event.runner_id : details}`,
      entity: lookup.scope(event),
      target: { type: 'Ci::Runner', id: event.runner_id, details },
    }
  }),
  audited(SecureFileCreated, (event, lookup) => secureFileDraft(event, lookup, 'created')),
  audited(SecureFileRemoved, (event, lookup) => secureFileDraft(event, lookup, 'removed')),
  audited(FeatureFlagChanged, (event, lookup) => ({
    name: `feature_flag_${event.action}`,
    message:
      event.toggled && event.action === 'updated'
        ? `Switched feature flag ${event.name} ${event.active ? 'on' : 'off'}`
        : `${verb(event.action)} feature flag ${event.name}`,
    entity: lookup.project(event.project_id),
    target: { type: 'Operations::FeatureFlag', id: event.feature_flag_id, details: event.name },
  })),
  audited(UserListChanged, (event, lookup) => ({
    name: `feature_flag_user_list_${event.action}`,
    message: `${verb(event.action)} a list of users for feature flags`,
    entity: lookup.project(event.project_id),
    target: {
      type: 'Operations::FeatureFlags::UserList',
      id: event.user_list_id,
      details: String(event.user_list_id),
    },
  })),
  audited(ReleaseCreated, (event, lookup) => releaseDraft(event, lookup, 'created')),
  audited(ReleaseUpdated, (event, lookup) => releaseDraft(event, lookup, 'updated')),
  audited(ReleaseDeleted, (event, lookup) => releaseDraft(event, lookup, 'deleted')),
]
