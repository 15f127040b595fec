import { z } from 'zod'

import { IMPORT_SOURCES, TOKEN_PREFIX } from '../../http/aliases.ts'
import { param, refuse } from '../../http/param.ts'
import { bool, choice, int, intChoice, list, text } from '../../http/params.ts'

const visibility = () => choice('private', 'internal', 'public')
const visibilityValue = z.enum(['private', 'internal', 'public'])

/** One setting: how it is written, how it is read, and its value until somebody changes it. */
interface Setting {
  readonly param: z.ZodType
  readonly value: z.ZodType
  readonly default: unknown
}

function setting<Value extends z.ZodType>(
  param: z.ZodType,
  value: Value,
  initial: z.output<Value>,
): { param: z.ZodType; value: Value; default: z.output<Value> } {
  return { param: param.optional(), value, default: initial }
}

/** Least size of new SSH keys of one family; 0 allows any, -1 forbids the family. */
const keyRestriction = (family: string, ...sizes: readonly number[]) =>
  setting(
    intChoice(0, -1, ...sizes).describe(
      `Bits that ${family} keys have at least; 0 for any, -1 for no such keys`,
    ),
    z.int(),
    0,
  )

/** The literal `nil` stands for both protocols, as an empty value does. */
const gitProtocol = () =>
  param<'ssh' | 'http' | null>({ type: 'string', enum: ['ssh', 'http', 'nil'] }, (raw) => {
    if (raw === 'nil') return null
    return raw === 'ssh' || raw === 'http' ? raw : refuse('does not have a valid value')
  })

/**
 * The catalogue of application settings (spec administration 1.2): the only place where a setting is declared.
 * Only settings that change behaviour stand here; more arrive with the domains that honour them.
 */
export const catalogue = {
  default_branch_name: setting(
    text({ max: 255 }).nullable().describe('Name of the first branch of new projects; empty means `main`'),
    z.string().nullable(),
    null,
  ),
  default_branch_protection: setting(
    int({ min: 0, max: 4 }).describe(
      'Protection of the default branch of new projects: 0 none, 1 no force push, 2 maintainers push, 3 developers may merge',
    ),
    z.int(),
    2,
  ),
  group_owners_can_manage_default_branch_protection: setting(
    bool().describe('Owners of groups may choose the protection of default branches'),
    z.boolean(),
    true,
  ),
  default_project_visibility: setting(
    visibility().describe('Visibility of new projects'),
    visibilityValue,
    'private',
  ),
  default_group_visibility: setting(
    visibility().describe('Visibility of new groups'),
    visibilityValue,
    'private',
  ),
  default_snippet_visibility: setting(
    visibility().describe('Visibility of new snippets'),
    visibilityValue,
    'private',
  ),
  restricted_visibility_levels: setting(
    list(visibility()).describe('Visibility levels that only administrators may choose'),
    z.array(visibilityValue),
    [],
  ),
  default_project_creation: setting(
    int({ min: 0, max: 2 }).describe(
      'Who may create projects in new groups: 0 nobody, 1 maintainers, 2 developers and maintainers',
    ),
    z.int(),
    2,
  ),
  default_projects_limit: setting(
    int({ min: 0 }).describe('Personal projects that a new user may have'),
    z.int(),
    100_000,
  ),
  raw_blob_request_limit: setting(
    int({ min: 0 }).describe('Times a minute that one file is given outside of the API; 0 for no limit'),
    z.int(),
    300,
  ),
  issues_create_limit: setting(
    int({ min: 0 }).describe('Issues a minute that one user may open; 0 for no limit'),
    z.int(),
    300,
  ),
  diff_max_patch_bytes: setting(
    int({ min: 204_800, max: 512_000 }).describe('Bytes of the difference of one file that are shown'),
    z.int(),
    204_800,
  ),
  diff_max_files: setting(
    int({ min: 1000, max: 3000 }).describe('Files of one difference that are shown'),
    z.int(),
    1000,
  ),
  diff_max_lines: setting(
    int({ min: 50_000, max: 100_000 }).describe('Lines of one difference that are shown'),
    z.int(),
    50_000,
  ),
  delayed_project_deletion: setting(
    bool().describe('Deleted projects are kept for some days, marked, before they go'),
    z.boolean(),
    false,
  ),
  delayed_group_deletion: setting(
    bool().describe('Deleted groups are kept for some days, marked, before they go'),
    z.boolean(),
    true,
  ),
  deletion_adjourned_period: setting(
    int({ min: 0, max: 90 }).describe('Days for which deleted projects and groups are kept'),
    z.int(),
    7,
  ),
  delete_inactive_projects: setting(
    bool().describe('Projects in which nothing happens any more are deleted, after a warning'),
    z.boolean(),
    false,
  ),
  inactive_projects_delete_after_months: setting(
    int({ min: 1, max: 1200 }).describe('Months without activity after which they are deleted'),
    z.int(),
    2,
  ),
  inactive_projects_send_warning_email_after_months: setting(
    int({ min: 1, max: 1200 }).describe('Months without activity after which their members are warned'),
    z.int(),
    1,
  ),
  inactive_projects_min_size_mb: setting(
    int({ min: 0 }).describe('Only projects whose repository is at least this large, MB'),
    z.int(),
    0,
  ),
  import_sources: setting(
    list(choice(...IMPORT_SOURCES)).describe('Where projects may be imported from'),
    z.array(z.enum(IMPORT_SOURCES)),
    [...IMPORT_SOURCES],
  ),
  shared_runners_enabled: setting(
    bool().describe('Shared runners take the jobs of new projects'),
    z.boolean(),
    true,
  ),
  auto_devops_enabled: setting(
    bool().describe('Projects that do not say otherwise get a pipeline without configuration'),
    z.boolean(),
    true,
  ),
  default_ci_config_path: setting(
    text({ max: 255 }).nullable().describe('Path of the CI configuration of new projects'),
    z.string().nullable(),
    null,
  ),
  can_create_group: setting(bool().describe('New users may create top-level groups'), z.boolean(), true),
  signup_enabled: setting(bool().describe('Anybody who reaches the instance may sign up'), z.boolean(), true),
  require_admin_approval_after_user_signup: setting(
    bool().describe('Users who signed up wait for an administrator'),
    z.boolean(),
    true,
  ),
  domain_allowlist: setting(
    list(text({ max: 255 })).describe('E-mail domains that may sign up; `*` stands for any part'),
    z.array(z.string()),
    [],
  ),
  domain_denylist_enabled: setting(
    bool().describe('The list of refused e-mail domains holds'),
    z.boolean(),
    false,
  ),
  domain_denylist: setting(
    list(text({ max: 255 })).describe('E-mail domains that may not sign up'),
    z.array(z.string()),
    [],
  ),
  minimum_password_length: setting(
    int({ min: 8, max: 128 }).describe('Characters a password has at least'),
    z.int(),
    8,
  ),
  password_authentication_enabled_for_web: setting(
    bool().describe('Passwords are accepted in the window'),
    z.boolean(),
    true,
  ),
  password_authentication_enabled_for_git: setting(
    bool().describe('Passwords are accepted by git over HTTP'),
    z.boolean(),
    true,
  ),
  personal_access_token_prefix: setting(
    text({ max: 20 }).nullable().describe('What new tokens begin with'),
    z.string().nullable(),
    TOKEN_PREFIX,
  ),
  user_oauth_applications: setting(
    bool().describe('Users may register OAuth applications of their own'),
    z.boolean(),
    true,
  ),
  send_user_confirmation_email: setting(
    bool().describe('Whoever signs up confirms the e-mail address before signing in'),
    z.boolean(),
    false,
  ),
  enforce_terms: setting(
    bool().describe('Users accept the terms of service before anything else; needs `terms`'),
    z.boolean(),
    false,
  ),
  terms: setting(
    text({ max: 100_000 }).nullable().describe('Terms of service, Markdown; a new text is accepted anew'),
    z.string().nullable(),
    null,
  ),
  throttle_protected_paths_enabled: setting(
    bool().describe('Sign-ins and the like that fail are limited for each address'),
    z.boolean(),
    true,
  ),
  throttle_protected_paths_requests_per_period: setting(
    int({ min: 1, max: 1_000_000 }).describe('Failures that one address may have in a period'),
    z.int(),
    10,
  ),
  throttle_protected_paths_period_in_seconds: setting(
    int({ min: 1, max: 86_400 }).describe('Length of that period, seconds'),
    z.int(),
    60,
  ),
  rate_limiting_response_text: setting(
    text({ max: 255 }).nullable().describe('What a throttled request is told; empty means `Retry later`'),
    z.string().nullable(),
    null,
  ),
  session_expire_delay: setting(
    int({ min: 0, max: 525_600 }).describe('Minutes until a session ends'),
    z.int(),
    10_080,
  ),
  rsa_key_restriction: keyRestriction('RSA', 1024, 2048, 3072, 4096),
  dsa_key_restriction: keyRestriction('DSA', 1024, 2048, 3072),
  ecdsa_key_restriction: keyRestriction('ECDSA', 256, 384, 521),
  ed25519_key_restriction: keyRestriction('ED25519', 256),
  ecdsa_sk_key_restriction: keyRestriction('ECDSA_SK', 256),
  ed25519_sk_key_restriction: keyRestriction('ED25519_SK', 256),
  max_ssh_key_lifetime: setting(
    int({ min: 1, max: 365 })
      .nullable()
      .describe('Days after which new SSH keys end at the latest; empty means any'),
    z.int().nullable(),
    null,
  ),
  enabled_git_access_protocol: setting(
    gitProtocol().nullable().describe('`ssh` or `http` where git may use only that; `nil` or empty for both'),
    z.enum(['ssh', 'http']).nullable(),
    null,
  ),
  gravatar_enabled: setting(
    bool().describe('Avatars of users without a picture are looked up by their e-mail address'),
    z.boolean(),
    false,
  ),
  user_default_external: setting(
    bool().describe('New users are external: they do not see internal groups and projects'),
    z.boolean(),
    false,
  ),
  user_default_internal_regex: setting(
    text({ max: 1024 })
      .nullable()
      .describe('New users whose address matches this are not external after all'),
    z.string().nullable(),
    null,
  ),
  user_defaults_to_private_profile: setting(
    bool().describe('New users have a private profile'),
    z.boolean(),
    false,
  ),
  commit_email_hostname: setting(
    text({ max: 255 })
      .nullable()
      .describe(
        'Host of private commit addresses; empty means `users.noreply.` and the host of the instance',
      ),
    z.string().nullable(),
    null,
  ),
  email_restrictions_enabled: setting(
    bool().describe('Addresses that match `email_restrictions` may not sign up'),
    z.boolean(),
    false,
  ),
  email_restrictions: setting(
    text({ max: 1024 }).nullable().describe('Regular expression (RE2) of addresses that may not sign up'),
    z.string().nullable(),
    null,
  ),
  password_number_required: setting(bool().describe('Passwords have a digit'), z.boolean(), false),
  password_symbol_required: setting(bool().describe('Passwords have a symbol'), z.boolean(), false),
  password_uppercase_required: setting(
    bool().describe('Passwords have an upper-case letter'),
    z.boolean(),
    false,
  ),
  password_lowercase_required: setting(
    bool().describe('Passwords have a lower-case letter'),
    z.boolean(),
    false,
  ),
  users_get_by_id_limit: setting(
    int({ min: 0 }).describe(
      'Requests for single users that one user may make in ten minutes; 0 means no limit',
    ),
    z.int(),
    300,
  ),
  users_get_by_id_limit_allowlist: setting(
    list(text({ max: 255 }), { max: 100 }).describe('Names of users for whom that limit does not count'),
    z.array(z.string()),
    [],
  ),
  deactivate_dormant_users: setting(
    bool().describe('Users who were not active for a long time are deactivated'),
    z.boolean(),
    false,
  ),
  deactivate_dormant_users_period: setting(
    int({ min: 90, max: 36_500 }).describe('Days without activity after which a user is dormant'),
    z.int(),
    90,
  ),
  max_attachment_size: setting(int({ min: 1, max: 1_048_576 }).describe('Largest upload, MB'), z.int(), 10),
  max_artifacts_size: setting(
    int({ min: 1, max: 1_048_576 }).describe('Largest file that a job may leave, MB'),
    z.int(),
    100,
  ),
  default_artifacts_expire_in: setting(
    text({ max: 255 }).describe(
      'Time after which artifacts go unless their job says; `0` or `never` for never',
    ),
    z.string(),
    '30 days',
  ),
  keep_latest_artifact: setting(
    bool().describe('Artifacts of the last successful pipeline of a branch or tag are kept'),
    z.boolean(),
    true,
  ),
  snippet_size_limit: setting(
    int({ min: 0 }).describe('Largest content of a snippet, bytes; 0 for any'),
    z.int(),
    52_428_800,
  ),
  push_event_activities_limit: setting(
    int({ min: 0 }).describe('Refs of a push that the feed shows one by one; more become one line'),
    z.int(),
    3,
  ),
  receive_max_input_size: setting(
    int({ min: 0 }).nullable().describe('Largest push, MB; empty means no limit'),
    z.int().nullable(),
    null,
  ),
  push_event_hooks_limit: setting(
    int({ min: 0 }).describe(
      'Branches, and tags, of one push up to which webhooks and integrations hear of it; 0 for none',
    ),
    z.int(),
    3,
  ),
  mirror_available: setting(
    bool().describe('Maintainers may set up mirrors; otherwise only administrators'),
    z.boolean(),
    true,
  ),
  silent_mode_enabled: setting(
    bool().describe('Nothing is sent out by itself: no mails, webhooks, integrations or mirrors'),
    z.boolean(),
    false,
  ),
  allow_local_requests_from_web_hooks_and_services: setting(
    bool().describe('Webhooks and integrations may reach this machine and its network'),
    z.boolean(),
    false,
  ),
  allow_local_requests_from_system_hooks: setting(
    bool().describe('System hooks may reach this machine and its network'),
    z.boolean(),
    true,
  ),
  outbound_local_requests_whitelist: setting(
    list(text({ max: 255 })).describe(
      'Hosts, addresses or CIDR blocks that may be reached although they are local',
    ),
    z.array(z.string()),
    [],
  ),
  sign_in_text: setting(
    text({ max: 100_000 }).nullable().describe('Shown on the sign-in page'),
    z.string().nullable(),
    null,
  ),
  home_page_url: setting(
    text({ max: 1024 }).nullable().describe('Where the sign-in page leads'),
    z.string().nullable(),
    null,
  ),
  repository_storages: setting(
    list(text({ max: 255 })).describe('Storages for new repositories'),
    z.array(z.string()),
    ['default'],
  ),
} satisfies Record<string, Setting>

type Catalogue = typeof catalogue
/** Name of a setting. */
export type SettingName = keyof Catalogue
/** All settings with their values. */
export type Settings = { readonly [Name in SettingName]: z.output<Catalogue[Name]['value']> }

/** The settings of a new instance. */
export const defaults = Object.fromEntries(
  Object.entries(catalogue).map(([name, one]) => [name, one.default]),
) as unknown as Settings
