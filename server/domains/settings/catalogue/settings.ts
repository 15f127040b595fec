import type { z } from 'zod'

import { accounts } from './accounts-settings.ts'
import { ci } from './ci-settings.ts'
import { flag, line, oneOf, prose, whole } from './params-kinds.ts'
import { rates, sizes } from './limits-settings.ts'
import { network, services } from './network-settings.ts'
import { operations } from './operations-settings.ts'
import { projects } from './projects-settings.ts'
import { registry, transfers } from './registry-settings.ts'
import { repositories } from './repositories-settings.ts'
import type { Setting } from './types.ts'
import { signIn, tokens } from './sign-in-settings.ts'
import { texts } from './texts-settings.ts'
import { throttles } from './limits-settings.ts'
import { search, tools, visitors } from './tools-settings.ts'

/** How mails leave the instance, and what they look like. The password stands with the secrets. */
const mail = {
  smtp_enabled: flag(false, 'E-mails are sent', 'Through the mail server below.'),
  smtp_address: line(null, 'Mail server', 'Its name or address.', { empty: 'none' }),
  smtp_port: whole(587, 'Port', 'Usually 587, or 465 with encryption from the start.', {
    min: 1,
    max: 65_535,
  }),
  smtp_tls: oneOf(
    { starttls: 'STARTTLS', tls: 'TLS', none: 'None' },
    'starttls',
    'Encryption',
    'STARTTLS begins in the clear and then encrypts; TLS encrypts from the first byte.',
  ),
  smtp_verify_certificates: flag(
    true,
    'The mail server shows a valid certificate',
    'Switch off only for a server of your own.',
  ),
  smtp_user_name: line(null, 'User name', 'At the mail server.', { empty: 'sends without signing in' }),
  smtp_authentication: oneOf(
    { plain: 'PLAIN', login: 'LOGIN', cram_md5: 'CRAM-MD5', none: 'None' },
    'plain',
    'Way to sign in',
    'What the mail server understands.',
  ),
  email_from: line(null, 'Sender’s address', 'Where mails come from.', { empty: 'noreply@ this host' }),
  email_display_name: line(null, 'Sender’s name', 'Stands before the address.', { empty: 'Deskforge' }),
  email_reply_to: line(null, 'Address for answers', 'Where answers to mails go.', { empty: 'the sender' }),
  html_emails_enabled: flag(true, 'Formatted e-mails', 'In addition to the plain text.'),
  email_author_in_body: flag(
    false,
    'Authors are named in the text alone',
    'For mail servers that let the instance send in its own name only.',
  ),
  email_additional_text: prose(null, 'Text below every e-mail', 'At most 1,000 characters.', {
    empty: 'none',
    max: 1000,
  }),
  abuse_notification_email: line(null, 'Address for reports of abuse', 'Whoever is reported.', {
    empty: 'none',
    effect: 'echo',
  }),
  in_product_marketing_emails_enabled: flag(true, 'Hints by e-mail', 'About parts of the product.', {
    effect: 'echo',
  }),
  mailgun_events_enabled: flag(false, 'A mail service reports mails it could not deliver', 'Mailgun.', {
    needs: ['mailgun_signing_key'],
    effect: 'echo',
  }),
} satisfies Record<string, Setting>

/** What becomes of projects and groups that are deleted, or that nobody uses. */
const deletion = {
  delayed_project_deletion: flag(
    false,
    'Deleted projects are kept for some days',
    'They are marked and can be restored until then.',
  ),
  delayed_group_deletion: flag(
    true,
    'Deleted groups are kept for some days',
    'They are marked and can be restored until then.',
  ),
  deletion_adjourned_period: whole(7, 'How long deleted projects and groups are kept', '0 deletes at once.', {
    unit: 'days',
    min: 0,
    max: 90,
  }),
  default_project_deletion_protection: flag(
    false,
    'Only administrators delete projects',
    'Otherwise owners of projects can.',
  ),
  delete_inactive_projects: flag(
    false,
    'Inactive projects are deleted',
    'Projects in which nothing happens any more go, after a warning.',
  ),
  inactive_projects_delete_after_months: whole(
    2,
    'Deleted after',
    'Without anything that happens in the project.',
    { unit: 'months', above: 0, max: 1200, below: 'delete_inactive_projects' },
  ),
  inactive_projects_send_warning_email_after_months: whole(
    1,
    'Warned of after',
    'Owners of the project hear of it by e-mail.',
    { unit: 'months', above: 0, max: 1200, below: 'delete_inactive_projects' },
  ),
  inactive_projects_min_size_mb: whole(0, 'Only projects larger than', 'The size of their repository.', {
    unit: 'MB',
    min: 0,
    below: 'delete_inactive_projects',
  }),
} satisfies Record<string, Setting>

/**
 * The catalogue of application settings (spec administration 1.2), by theme: the only place where a setting is declared (those that
 * are sealed: `secret-settings.ts`). Each says whether the application behaves as it says (`effect`) or only keeps it.
 */
export const catalogue = {
  ...projects,
  ...deletion,
  ...accounts,
  ...signIn,
  ...tokens,
  ...ci,
  ...repositories,
  ...sizes,
  ...rates,
  ...throttles,
  ...network,
  ...mail,
  ...texts,
  ...operations,
  ...services,
  ...visitors,
  ...search,
  ...tools,
  ...registry,
  ...transfers,
} satisfies Record<string, Setting>

/** The themes as the window shows them, in its order. */
export const groups: readonly { name: string; title: string; settings: Readonly<Record<string, Setting>> }[] =
  [
    { name: 'projects', title: 'Projects and groups', settings: projects },
    { name: 'deletion', title: 'Deletion', settings: deletion },
    { name: 'accounts', title: 'Accounts', settings: accounts },
    { name: 'sign_in', title: 'Sign-in', settings: signIn },
    { name: 'tokens', title: 'Tokens and keys', settings: tokens },
    { name: 'ci', title: 'Pipelines and runners', settings: ci },
    { name: 'repositories', title: 'Repositories', settings: repositories },
    { name: 'sizes', title: 'Sizes', settings: sizes },
    { name: 'rates', title: 'Rates', settings: rates },
    { name: 'throttles', title: 'Throttles', settings: throttles },
    { name: 'network', title: 'Network', settings: network },
    { name: 'mail', title: 'E-mail', settings: mail },
    { name: 'texts', title: 'Texts and pages', settings: texts },
    { name: 'operations', title: 'Operation', settings: operations },
    { name: 'services', title: 'Other services', settings: services },
    { name: 'visitors', title: 'Spam and robots', settings: visitors },
    { name: 'search', title: 'Search engine', settings: search },
    { name: 'tools', title: 'Tools and figures', settings: tools },
    { name: 'registry', title: 'Packages and sites', settings: registry },
    { name: 'transfers', title: 'Imports', settings: transfers },
  ]

type Catalogue = typeof catalogue
/** Name of a setting. */
export type SettingName = keyof Catalogue
/** All settings with their values. */
export type Settings = { readonly [Name in SettingName]: z.output<Catalogue[Name]['value']> }

/** The settings of a new instance. */
export const defaults = Object.fromEntries(
  Object.entries(catalogue).map(([name, one]) => [name, one.default]),
) as unknown as Settings
