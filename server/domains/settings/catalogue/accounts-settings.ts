import { flag, line, oneOf, prose, whole } from './params-kinds.ts'
import { list } from './params-lists.ts'
import type { Setting } from './types.ts'

/** Who may have an account, and what a new one is like. */
export const accounts = {
  signup_enabled: flag(
    true,
    'People may create their own account',
    'Puts “Create an account” on the sign-in page. Otherwise an administrator makes accounts.',
  ),
  require_admin_approval_after_user_signup: flag(
    true,
    'New accounts wait for approval',
    'Who signed up can sign in after an administrator has agreed.',
  ),
  send_user_confirmation_email: flag(
    false,
    'New accounts confirm their address',
    'Whoever signs up follows a link in an e-mail before signing in.',
  ),
  email_confirmation_setting: oneOf(
    { off: 'Not at all', soft: 'Within three days', hard: 'Before signing in' },
    'off',
    'When addresses are confirmed',
    'The newer form of the setting above; both change together.',
  ),
  delete_unconfirmed_users: flag(
    false,
    'Accounts that were never confirmed are deleted',
    'Once the days below are over.',
  ),
  unconfirmed_users_delete_after_days: whole(7, 'Deleted after', 'Counted from the day they signed up.', {
    unit: 'days',
    above: 0,
    below: 'delete_unconfirmed_users',
  }),
  domain_allowlist: list([], 'Domains that may sign up', 'Others may not; * stands for any part.', {
    empty: 'any',
  }),
  domain_denylist_enabled: flag(
    false,
    'Some domains may not sign up',
    'By the address of the e-mail account that is given.',
  ),
  domain_denylist: list([], 'Domains that may not sign up', '* stands for any part.', {
    empty: 'none',
    below: 'domain_denylist_enabled',
  }),
  email_restrictions_enabled: flag(
    false,
    'Some addresses may not sign up',
    'By a pattern that the whole address is compared with.',
  ),
  email_restrictions: line(null, 'Pattern of such addresses', 'A regular expression (RE2).', {
    empty: 'none',
    max: 1024,
    below: 'email_restrictions_enabled',
  }),
  invisible_captcha_enabled: flag(
    false,
    'Robots are kept from signing up',
    'By a field that people do not see, and the time that filling in the form takes.',
  ),
  enforce_terms: flag(false, 'Terms of service are accepted first', 'By everybody, before anything else.', {
    needs: ['terms'],
  }),
  terms: prose(null, 'Terms of service', 'A new text is accepted anew.', { empty: 'none' }),
  user_default_external: flag(
    false,
    'New users are external',
    'They do not see internal groups and projects.',
  ),
  user_default_internal_regex: line(
    null,
    'Addresses of users who are not external after all',
    'A regular expression that the address of a new user matches.',
    { empty: 'none', max: 1024, below: 'user_default_external' },
  ),
  user_defaults_to_private_profile: flag(
    false,
    'New users have a private profile',
    'Others see their name, and not what they do.',
  ),
  gravatar_enabled: flag(
    false,
    'Avatars are looked up elsewhere',
    'By the e-mail address of users who have no picture. The window then asks another host.',
  ),
  commit_email_hostname: line(
    null,
    'Host of private commit addresses',
    'The part behind the @ of addresses that hide the real one.',
    { empty: 'users.noreply. and the host' },
  ),
  deactivate_dormant_users: flag(
    false,
    'Users who are away for long are deactivated',
    'They come back by signing in.',
  ),
  deactivate_dormant_users_period: whole(90, 'Deactivated after', 'Days without any activity.', {
    unit: 'days',
    min: 90,
    below: 'deactivate_dormant_users',
  }),
  user_deactivation_emails_enabled: flag(
    true,
    'Deactivated users are notified',
    'An e-mail to whoever is deactivated.',
  ),
  updating_name_disabled_for_users: flag(
    false,
    'Only administrators change names of users',
    'The name that is shown, not the name to sign in with.',
  ),
  allow_account_deletion: flag(true, 'Users may delete their own account', 'Otherwise administrators do.', {
    effect: 'echo',
  }),
  user_oauth_applications: flag(
    true,
    'Users may register applications',
    'Programs that sign in with an account here (OAuth).',
  ),
  disable_admin_oauth_scopes: flag(
    false,
    'Administrators do not lend their rights to applications',
    'Only to those an administrator registered for the instance as trusted.',
  ),
  default_preferred_language: line(
    'en',
    'Language of new users',
    'A code such as en or de. The window has one language, so that nothing follows from it here.',
    { max: 32, effect: 'echo' },
  ),
  user_show_add_ssh_key_message: flag(
    true,
    'People without an SSH key are reminded',
    'On pages where they could clone.',
  ),
  invitation_flow_enforcement: flag(false, 'Invitations follow the newer way', 'Of licences by seat.', {
    effect: 'echo',
  }),
} satisfies Record<string, Setting>
