import type { z } from 'zod'

import { accounts } from './accounts-settings.ts'
import { ci } from './ci-settings.ts'
import { flag, line, singleChoice, markdown, integer } from './params-kinds.ts'
import { rates, sizes, throttles } from './limits-settings.ts'
import { network, services } from './network-settings.ts'
import { operations } from './operations-settings.ts'
import { registry, importExport } from './registry-settings.ts'
import { repositories, projects } from './repositories-settings.ts'
import type { Setting } from './types.ts'
import { signIn, tokens } from './sign-in-settings.ts'
import { texts } from './texts-settings.ts'
import { search, tools, spam } from './tools-settings.ts'

/** Outgoing email. The password is a secret setting. */
const mail = {
  smtp_enabled: flag(false, 'Send emails', 'Sends emails through the SMTP server below.'),
  smtp_address: line(null, 'SMTP server', 'Host name or IP address of the mail server.', { empty: 'none' }),
  smtp_port: integer(587, 'SMTP port', 'Usually 587, or 465 with TLS.', {
    min: 1,
    max: 65_535,
  }),
  smtp_tls: singleChoice(
    { starttls: 'STARTTLS', tls: 'TLS', none: 'None' },
    'starttls',
    'SMTP encryption',
    'STARTTLS upgrades a plain connection. TLS encrypts the connection from the start.',
  ),
  smtp_verify_certificates: flag(
    true,
    'Verify the certificate of the SMTP server',
    'Turn off only for a trusted server with a self-signed certificate.',
  ),
  smtp_user_name: line(null, 'SMTP username', 'User name of the account on the SMTP server.', {
    empty: 'no authentication',
  }),
  smtp_authentication: singleChoice(
    { plain: 'PLAIN', login: 'LOGIN', cram_md5: 'CRAM-MD5', none: 'None' },
    'plain',
    'SMTP authentication',
    'Authentication method that the SMTP server supports.',
  ),
  email_from: line(null, 'Sender address', 'Email address in the From header.', { empty: 'noreply@<host>' }),
  email_display_name: line(null, 'Sender name', 'Display name in the From header.', { empty: 'Deskforge' }),
  email_reply_to: line(null, 'Reply-to address', 'Email address that receives replies.', {
    empty: 'the sender',
  }),
  html_emails_enabled: flag(true, 'Send HTML emails', 'Sends an HTML part in addition to plain text.'),
  email_author_in_body: flag(
    false,
    'Include author name in email body',
    'For SMTP servers that replace the author name in the From header.',
  ),
  email_additional_text: markdown(
    null,
    'Additional text for emails',
    'Added to the bottom of every email. Maximum 1,000 characters.',
    {
      empty: 'none',
      max: 1000,
    },
  ),
  abuse_notification_email: line(
    null,
    'Abuse reports notification email',
    'Receives a message for each abuse report.',
    {
      empty: 'none',
      effect: 'echo',
    },
  ),
  in_product_marketing_emails_enabled: flag(true, 'Send marketing emails', 'Emails about product features.', {
    effect: 'echo',
  }),
  mailgun_events_enabled: flag(
    false,
    'Enable Mailgun event receiver',
    'Receives delivery failures from Mailgun.',
    {
      needs: ['mailgun_signing_key'],
      effect: 'echo',
    },
  ),
} satisfies Record<string, Setting>

/** Deleted and inactive projects and groups. */
const deletion = {
  delayed_project_deletion: flag(
    false,
    'Delayed project deletion',
    'Deleted projects can be restored during the retention period.',
  ),
  delayed_group_deletion: flag(
    true,
    'Delayed group deletion',
    'Deleted groups can be restored during the retention period.',
  ),
  deletion_adjourned_period: integer(
    7,
    'Retention period',
    'Time before marked projects and groups are deleted. 0 deletes them immediately.',
    {
      unit: 'days',
      min: 0,
      max: 90,
    },
  ),
  default_project_deletion_protection: flag(
    false,
    'Only administrators can delete projects',
    'If off, project owners can delete projects too.',
  ),
  delete_inactive_projects: flag(
    false,
    'Delete inactive projects',
    'Deletes projects without activity after a warning email.',
  ),
  inactive_projects_delete_after_months: integer(
    2,
    'Delete inactive projects after',
    'Time since the last activity in the project.',
    { unit: 'months', above: 0, max: 1200, below: 'delete_inactive_projects' },
  ),
  inactive_projects_send_warning_email_after_months: integer(
    1,
    'Send a warning email after',
    'Project owners receive the email before the deletion.',
    { unit: 'months', above: 0, max: 1200, below: 'delete_inactive_projects' },
  ),
  inactive_projects_min_size_mb: integer(
    0,
    'Minimum size of inactive projects',
    'Only projects with a larger repository are deleted.',
    {
      unit: 'MB',
      min: 0,
      below: 'delete_inactive_projects',
    },
  ),
} satisfies Record<string, Setting>

/**
 * The catalogue of application settings (spec administration 1.2), in groups. Encrypted settings are in
 * `secret-settings.ts`. The option `effect` defines whether Deskforge uses a setting or only stores it.
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
  ...spam,
  ...search,
  ...tools,
  ...registry,
  ...importExport,
} satisfies Record<string, Setting>

/** The groups of settings in the order of the window. */
export const groups: readonly { name: string; title: string; settings: Readonly<Record<string, Setting>> }[] =
  [
    { name: 'projects', title: 'Projects and groups', settings: projects },
    { name: 'deletion', title: 'Deletion', settings: deletion },
    { name: 'accounts', title: 'Sign-up and accounts', settings: accounts },
    { name: 'sign_in', title: 'Sign-in', settings: signIn },
    { name: 'tokens', title: 'Tokens and keys', settings: tokens },
    { name: 'ci', title: 'CI/CD', settings: ci },
    { name: 'repositories', title: 'Repositories', settings: repositories },
    { name: 'sizes', title: 'Size limits', settings: sizes },
    { name: 'rates', title: 'Rate limits', settings: rates },
    { name: 'throttles', title: 'User and IP rate limits', settings: throttles },
    { name: 'network', title: 'Network', settings: network },
    { name: 'mail', title: 'Email', settings: mail },
    { name: 'texts', title: 'Appearance and help', settings: texts },
    { name: 'operations', title: 'Operations', settings: operations },
    { name: 'services', title: 'External services', settings: services },
    { name: 'visitors', title: 'Spam and anti-bot protection', settings: spam },
    { name: 'search', title: 'Advanced search', settings: search },
    { name: 'tools', title: 'Integrations and usage data', settings: tools },
    { name: 'registry', title: 'Packages, registry and Pages', settings: registry },
    { name: 'transfers', title: 'Import and export', settings: importExport },
  ]

type Catalogue = typeof catalogue
/** Name of a setting. */
export type SettingName = keyof Catalogue
/** All settings with their values. */
export type Settings = { readonly [Name in SettingName]: z.output<Catalogue[Name]['value']> }

/** The settings of a new instance. */
export const defaults = Object.fromEntries(
  Object.entries(catalogue).map(([name, setting]) => [name, setting.default]),
) as unknown as Settings
