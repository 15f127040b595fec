import { z } from 'zod'

import { text } from '../../../http/params.ts'
import { flag, line, singleChoice, custom, integer } from './params-kinds.ts'
import type { Setting } from './types.ts'

/** Operation of the instance. */
export const operations = {
  maintenance_mode: flag(
    false,
    'Maintenance mode',
    'Only administrators can make changes. Other users have read-only access.',
  ),
  maintenance_mode_message: line(
    null,
    'Maintenance mode banner message',
    'Appears at the top of every page.',
    {
      empty: 'a general message',
    },
  ),
  prometheus_metrics_enabled: flag(true, 'Enable Prometheus metrics', 'Provides metrics at /-/metrics.'),
  metrics_method_call_threshold: integer(10, 'Method call threshold', 'Measures only slower method calls.', {
    unit: 'ms',
    min: 0,
    effect: 'echo',
  }),
  allow_group_owners_to_manage_ldap: flag(true, 'Group owners can manage LDAP settings', '', {
    effect: 'echo',
  }),
  lock_memberships_to_ldap: flag(false, 'Lock memberships to LDAP synchronization', '', { effect: 'echo' }),
  lock_memberships_to_saml: flag(false, 'Lock memberships to SAML group links synchronization', '', {
    effect: 'echo',
  }),
  allow_project_creation_for_guest_and_below: flag(
    true,
    'Users with the Guest role or lower can create projects',
    'Applies to personal projects.',
    { effect: 'echo' },
  ),
  can_create_organization: flag(true, 'Users can create organizations', '', {
    effect: 'echo',
  }),
  anonymous_searches_allowed: flag(true, 'Allow unauthenticated users to use search', '', {
    effect: 'echo',
  }),
  allow_possible_spam: flag(false, 'Allow possible spam', 'Possible spam is logged, but not blocked.', {
    effect: 'echo',
  }),
  disable_overriding_approvers_per_merge_request: flag(
    false,
    'Prevent editing approval rules in projects and merge requests',
    'Merge requests use the approval rules of the project.',
  ),
  prevent_merge_requests_author_approval: flag(
    false,
    'Prevent approval by merge request author',
    'Applies to all projects.',
  ),
  prevent_merge_requests_committers_approval: flag(
    false,
    'Prevent approvals by users who add commits',
    'Applies to all projects.',
  ),
  security_policy_global_group_approvers_enabled: flag(
    true,
    'Security policies can use approver groups globally',
    '',
    {
      effect: 'echo',
    },
  ),
  sidekiq_job_limiter_mode: singleChoice(
    { compress: 'Compress', track: 'Track' },
    'compress',
    'Limiting mode of Sidekiq jobs',
    '',
    { effect: 'echo' },
  ),
  sidekiq_job_limiter_compression_threshold_bytes: integer(100_000, 'Sidekiq job compression threshold', '', {
    unit: 'bytes',
    min: 0,
    effect: 'echo',
  }),
  sidekiq_job_limiter_limit_bytes: integer(0, 'Sidekiq job size limit', '0 means no limit.', {
    unit: 'bytes',
    min: 0,
    effect: 'echo',
  }),
  terminal_max_session_time: integer(0, 'Maximum web terminal session time', '0 means no limit.', {
    unit: 'seconds',
    min: 0,
    effect: 'echo',
  }),
  // A request can send the path or the id of a group; the stored value is the id.
  performance_bar_allowed_group_id: custom(
    { kind: 'number', param: text({ max: 1024 }), value: z.int().nullable(), initial: null },
    'Group that can view the performance bar',
    'Path or ID of the group.',
    { empty: 'none', effect: 'echo' },
  ),
  check_namespace_plan: flag(
    false,
    'Enforce paid features by plan',
    'Projects can use only the features of their group’s plan.',
    {
      effect: 'echo',
    },
  ),
  automatic_purchased_storage_allocation: flag(false, 'Automatic purchased storage allocation', '', {
    effect: 'echo',
  }),
  enforce_namespace_storage_limit: flag(false, 'Enforce namespace storage limit', '', {
    effect: 'echo',
  }),
  dedicated_instance: flag(false, 'GitLab Dedicated instance', '', {
    effect: 'echo',
  }),
  environment_toolkit_instance: flag(false, 'GitLab Environment Toolkit instance', '', {
    effect: 'echo',
  }),
} satisfies Record<string, Setting>
