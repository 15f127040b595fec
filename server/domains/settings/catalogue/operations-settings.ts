import { z } from 'zod'

import { text } from '../../../http/params.ts'
import { flag, line, oneOf, special, whole } from './params-kinds.ts'
import type { Setting } from './types.ts'

/** How the instance itself is run. */
export const operations = {
  maintenance_mode: flag(
    false,
    'Maintenance mode',
    'Nothing can be changed but by administrators; reading goes on.',
  ),
  maintenance_mode_message: line(null, 'Text while it is on', 'Shown above every page.', {
    empty: 'a general one',
  }),
  prometheus_metrics_enabled: flag(
    true,
    'Figures for monitoring',
    'At /-/metrics, in the form of Prometheus.',
  ),
  metrics_method_call_threshold: whole(10, 'Calls are measured from', 'Of another kind of monitoring.', {
    unit: 'ms',
    min: 0,
    effect: 'echo',
  }),
  allow_group_owners_to_manage_ldap: flag(true, 'Owners of groups link them to a directory', 'LDAP.', {
    effect: 'echo',
  }),
  lock_memberships_to_ldap: flag(false, 'Members come from the directory alone', 'LDAP.', { effect: 'echo' }),
  lock_memberships_to_saml: flag(false, 'Members come from single sign-on alone', 'SAML.', {
    effect: 'echo',
  }),
  allow_project_creation_for_guest_and_below: flag(
    true,
    'Users who are guests everywhere may make projects',
    'In their personal space.',
    { effect: 'echo' },
  ),
  can_create_organization: flag(true, 'Users may make organisations', 'Where there are some.', {
    effect: 'echo',
  }),
  anonymous_searches_allowed: flag(true, 'Visitors may search', 'Everything that is public.', {
    effect: 'echo',
  }),
  allow_possible_spam: flag(false, 'What looks like spam is let through', 'And noted.', { effect: 'echo' }),
  disable_overriding_approvers_per_merge_request: flag(
    false,
    'Approval rules of projects hold',
    'Merge requests cannot have rules of their own.',
  ),
  prevent_merge_requests_author_approval: flag(
    false,
    'Authors do not approve their own merge requests',
    'In all projects.',
  ),
  prevent_merge_requests_committers_approval: flag(
    false,
    'Who wrote a commit does not approve it',
    'In all projects.',
  ),
  security_policy_global_group_approvers_enabled: flag(
    true,
    'Approvers of policies may be anywhere',
    'In any group.',
    {
      effect: 'echo',
    },
  ),
  sidekiq_job_limiter_mode: oneOf(
    { compress: 'Are compressed', track: 'Are noted' },
    'compress',
    'Large background jobs',
    'Of another queue.',
    { effect: 'echo' },
  ),
  sidekiq_job_limiter_compression_threshold_bytes: whole(100_000, 'Compressed from', 'Of another queue.', {
    unit: 'bytes',
    min: 0,
    effect: 'echo',
  }),
  sidekiq_job_limiter_limit_bytes: whole(0, 'Largest background job', 'Of another queue; 0 for no limit.', {
    unit: 'bytes',
    min: 0,
    effect: 'echo',
  }),
  terminal_max_session_time: whole(0, 'A terminal in the window ends after', '0 for no limit.', {
    unit: 'seconds',
    min: 0,
    effect: 'echo',
  }),
  // Written as the path or the number of a group; `older.ts` finds the number.
  performance_bar_allowed_group_id: special(
    { kind: 'number', param: text({ max: 1024 }), value: z.int().nullable(), initial: null },
    'Group that sees the bar of measurements',
    'By its path or number.',
    { empty: 'none', effect: 'echo' },
  ),
  check_namespace_plan: flag(false, 'Paid features by plan', 'Of a service that is sold.', {
    effect: 'echo',
  }),
  automatic_purchased_storage_allocation: flag(
    false,
    'Storage that was bought is given out',
    'Of a service that is sold.',
    {
      effect: 'echo',
    },
  ),
  enforce_namespace_storage_limit: flag(false, 'Storage of groups is limited', 'Of a service that is sold.', {
    effect: 'echo',
  }),
  dedicated_instance: flag(false, 'The instance is run by its vendor', 'For one customer.', {
    effect: 'echo',
  }),
  environment_toolkit_instance: flag(
    false,
    'The instance was set up with the toolkit of its vendor',
    'Only said.',
    {
      effect: 'echo',
    },
  ),
} satisfies Record<string, Setting>
