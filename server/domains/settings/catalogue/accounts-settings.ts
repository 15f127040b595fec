import { flag, line, singleChoice, markdown, integer } from './params-kinds.ts'
import { list } from './params-lists.ts'
import type { Setting } from './types.ts'

/** Sign-up, and the defaults of new accounts. */
export const accounts = {
  signup_enabled: flag(
    true,
    'Sign-up enabled',
    'Adds “Create an account” to the sign-in page. If off, only administrators create users.',
  ),
  require_admin_approval_after_user_signup: flag(
    true,
    'Require admin approval for new sign-ups',
    'New users can sign in after an administrator approves them.',
  ),
  send_user_confirmation_email: flag(
    false,
    'Send confirmation email on sign-up',
    'New users must confirm their email address before they sign in.',
  ),
  email_confirmation_setting: singleChoice(
    { off: 'Off', soft: 'Soft: within three days', hard: 'Hard: before sign-in' },
    'off',
    'Email confirmation settings',
    'Replaces the setting above. Changing one changes the other.',
  ),
  delete_unconfirmed_users: flag(
    false,
    'Delete unconfirmed users',
    'Deletes users who do not confirm their email address in time.',
  ),
  unconfirmed_users_delete_after_days: integer(
    7,
    'Delete unconfirmed users after',
    'Time since the sign-up.',
    {
      unit: 'days',
      above: 0,
      below: 'delete_unconfirmed_users',
    },
  ),
  domain_allowlist: list(
    [],
    'Allowed domains for sign-ups',
    'Only email addresses of these domains can sign up. Use * as a wildcard.',
    {
      empty: 'any',
    },
  ),
  domain_denylist_enabled: flag(
    false,
    'Enable domain denylist for sign-ups',
    'Rejects sign-ups by the domain of the email address.',
  ),
  domain_denylist: list(
    [],
    'Denied domains for sign-ups',
    'Email addresses of these domains cannot sign up. Use * as a wildcard.',
    {
      empty: 'none',
      below: 'domain_denylist_enabled',
    },
  ),
  email_restrictions_enabled: flag(
    false,
    'Enable email restrictions for sign-ups',
    'Rejects sign-ups by a pattern of the email address.',
  ),
  email_restrictions: line(
    null,
    'Email restrictions for sign-ups',
    'Email addresses that match this regular expression (RE2) cannot sign up.',
    {
      empty: 'none',
      max: 1024,
      below: 'email_restrictions_enabled',
    },
  ),
  invisible_captcha_enabled: flag(
    false,
    'Enable invisible captcha on sign-up',
    'Rejects bots with a hidden field and a minimum time to fill in the form.',
  ),
  enforce_terms: flag(
    false,
    'Require acceptance of the terms of service',
    'All users must accept the terms before they use Deskforge.',
    {
      needs: ['terms'],
    },
  ),
  terms: markdown(
    null,
    'Terms of Service Agreement',
    'Users must accept a changed text again. Markdown enabled.',
    { empty: 'none' },
  ),
  user_default_external: flag(
    false,
    'Set new users to external',
    'External users cannot see internal groups and projects.',
  ),
  user_default_internal_regex: line(
    null,
    'Internal users regex',
    'New users with a matching email address are not external.',
    { empty: 'none', max: 1024, below: 'user_default_external' },
  ),
  user_defaults_to_private_profile: flag(
    false,
    'Make new users’ profiles private',
    'A private profile shows the name, but no activity.',
  ),
  gravatar_enabled: flag(
    false,
    'Gravatar enabled',
    'Loads avatars from Gravatar, by email address, for users without a picture.',
  ),
  commit_email_hostname: line(
    null,
    'Custom hostname for private commit emails',
    'Domain of the commit email addresses that hide the real address.',
    { empty: 'users.noreply.<host>' },
  ),
  deactivate_dormant_users: flag(
    false,
    'Deactivate dormant users',
    'Deactivates users without activity. They become active again when they sign in.',
  ),
  deactivate_dormant_users_period: integer(
    90,
    'Period of inactivity',
    'Time without activity before a user is deactivated.',
    {
      unit: 'days',
      min: 90,
      below: 'deactivate_dormant_users',
    },
  ),
  user_deactivation_emails_enabled: flag(
    true,
    'Enable user deactivation emails',
    'Users receive an email when their account is deactivated.',
  ),
  updating_name_disabled_for_users: flag(
    false,
    'Prevent users from changing their profile name',
    'Only administrators can change the full name of a user.',
  ),
  allow_account_deletion: flag(
    true,
    'Users can delete their accounts',
    'If off, only administrators can delete users.',
    {
      effect: 'echo',
    },
  ),
  user_oauth_applications: flag(
    true,
    'Users can register OAuth applications',
    'OAuth applications use Deskforge to sign users in.',
  ),
  disable_admin_oauth_scopes: flag(
    false,
    'Prevent administrators from authorizing untrusted OAuth applications',
    'Administrators can authorize only trusted applications of the instance.',
  ),
  default_preferred_language: line(
    'en',
    'Default language',
    'Language for new users, as a code such as en or de.',
    { max: 32, effect: 'echo' },
  ),
  user_show_add_ssh_key_message: flag(
    true,
    'Inform users without SSH keys',
    'Shows a reminder on pages with a clone address.',
  ),
  invitation_flow_enforcement: flag(
    false,
    'Enforce invitation flow',
    'Invitations count against the licensed seats.',
    {
      effect: 'echo',
    },
  ),
} satisfies Record<string, Setting>
