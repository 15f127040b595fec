import { z } from 'zod'

import { bool, choice, int, text } from '../../../http/params.ts'
import { setting, type Setting } from './setting.ts'

const authentications = ['plain', 'login', 'cram_md5', 'none'] as const
const encryptions = ['none', 'starttls', 'tls'] as const

const optionalText = (description: string) =>
  setting(text({ max: 255 }).nullable().describe(description), z.string().nullable(), null)

/** How mails leave the instance, and what they look like. The password stands with the secrets. */
export const mail = {
  smtp_enabled: setting(
    bool().describe('Mails are sent, through the server of `smtp_address`'),
    z.boolean(),
    false,
  ),
  smtp_address: optionalText('Host of the mail server'),
  smtp_port: setting(int({ min: 1, max: 65_535 }).describe('Port of the mail server'), z.int(), 587),
  smtp_user_name: optionalText('User name at the mail server; empty to send without signing in'),
  smtp_authentication: setting(
    choice(...authentications).describe('How to sign in to the mail server'),
    z.enum(authentications),
    'plain',
  ),
  smtp_tls: setting(
    choice(...encryptions).describe(
      'Encryption: `starttls` after connecting, `tls` from the first byte, or `none`',
    ),
    z.enum(encryptions),
    'starttls',
  ),
  smtp_verify_certificates: setting(
    bool().describe('The certificate of the mail server has to be valid'),
    z.boolean(),
    true,
  ),
  email_from: optionalText('Address that mails come from; empty for `noreply@` and the host of the instance'),
  email_display_name: optionalText('Name that mails come from; empty for the name of the application'),
  email_reply_to: optionalText('Address that answers go to'),
  html_emails_enabled: setting(
    bool().describe('Mails have a formatted part beside the plain one'),
    z.boolean(),
    true,
  ),
  email_author_in_body: setting(
    bool().describe('Mails come from the instance by name too, and name their author in the text alone'),
    z.boolean(),
    false,
  ),
} satisfies Record<string, Setting>
