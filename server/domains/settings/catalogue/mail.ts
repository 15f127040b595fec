import { flag, line, oneOf, prose, whole } from './kinds.ts'
import type { Setting } from './setting.ts'

/** How mails leave the instance, and what they look like. The password stands with the secrets. */
export const mail = {
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
  html_emails_enabled: flag(true, 'Formatted e-mails', 'Beside the plain text.'),
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
  mailgun_events_enabled: flag(false, 'A mail service tells of mails it could not deliver', 'Mailgun.', {
    needs: ['mailgun_signing_key'],
    effect: 'echo',
  }),
} satisfies Record<string, Setting>
