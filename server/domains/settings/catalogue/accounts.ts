import { z } from 'zod'

import { bool, int, list, text } from '../../../http/params.ts'
import { setting, type Setting } from './setting.ts'

/** Who may have an account, and what a new one is like. */
export const accounts = {
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
  user_oauth_applications: setting(
    bool().describe('Users may register OAuth applications of their own'),
    z.boolean(),
    true,
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
} satisfies Record<string, Setting>
