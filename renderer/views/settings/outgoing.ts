import type { SettingGroup } from './catalogue.ts'

/** How mails leave the instance. */
export const mails: SettingGroup = {
  title: 'E-mail',
  settings: [
    {
      key: 'smtp_enabled',
      label: 'Send e-mails',
      help: 'Through the mail server below. Otherwise they are only kept for two days.',
      kind: 'switch',
      fallback: false,
    },
    {
      key: 'smtp_address',
      label: 'Mail server',
      help: 'Its host name.',
      kind: 'text',
      fallback: null,
      empty: 'none',
    },
    {
      key: 'smtp_port',
      label: 'Port',
      help: 'Usually 587, or 465 where everything is encrypted.',
      kind: 'number',
      fallback: 587,
    },
    {
      key: 'smtp_tls',
      label: 'Encryption',
      help: 'Mails are not sent where the server does not offer it.',
      kind: 'choice',
      fallback: 'starttls',
      options: [
        { value: 'starttls', label: 'STARTTLS' },
        { value: 'tls', label: 'TLS' },
        { value: 'none', label: 'None' },
      ],
    },
    {
      key: 'smtp_verify_certificates',
      label: 'Verify the certificate of the server',
      help: 'Switch it off only for a server of your own.',
      kind: 'switch',
      fallback: true,
    },
    {
      key: 'smtp_user_name',
      label: 'User name at the mail server',
      help: 'Leave it empty where the server asks for none.',
      kind: 'text',
      fallback: null,
      empty: 'none',
    },
    {
      key: 'smtp_password',
      label: 'Password at the mail server',
      help: 'It is kept sealed and never shown.',
      kind: 'secret',
      fallback: null,
      empty: 'none',
    },
    {
      key: 'smtp_authentication',
      label: 'Way to sign in',
      help: 'What the mail server understands.',
      kind: 'choice',
      fallback: 'plain',
      options: [
        { value: 'plain', label: 'PLAIN' },
        { value: 'login', label: 'LOGIN' },
        { value: 'cram_md5', label: 'CRAM-MD5' },
        { value: 'none', label: 'None' },
      ],
    },
    {
      key: 'email_from',
      label: 'Sender’s address',
      help: 'Where mails come from.',
      kind: 'text',
      fallback: null,
      empty: 'noreply@ this host',
    },
    {
      key: 'email_display_name',
      label: 'Sender’s name',
      help: 'Stands before the address.',
      kind: 'text',
      fallback: null,
      empty: 'Deskforge',
    },
    {
      key: 'email_reply_to',
      label: 'Address for answers',
      help: 'Where answers to mails go.',
      kind: 'text',
      fallback: null,
      empty: 'the sender',
    },
    {
      key: 'html_emails_enabled',
      label: 'Formatted e-mails',
      help: 'Beside the plain text.',
      kind: 'switch',
      fallback: true,
    },
    {
      key: 'email_author_in_body',
      label: 'Authors are named in the text alone',
      help: 'For mail servers that let the instance send in its own name only.',
      kind: 'switch',
      fallback: false,
    },
  ],
}

/** What goes to other hosts by itself. */
export const requests: SettingGroup = {
  title: 'Webhooks, integrations and mirrors',
  settings: [
    {
      key: 'silent_mode_enabled',
      label: 'Silent mode',
      help: 'Nothing is sent out: no e-mails, webhooks, integrations or mirrors.',
      kind: 'switch',
      fallback: false,
    },
    {
      key: 'allow_local_requests_from_web_hooks_and_services',
      label: 'Webhooks may reach the local network',
      help: 'And integrations and mirrors. This machine and private networks, where other services may trust it.',
      kind: 'switch',
      fallback: false,
    },
    {
      key: 'allow_local_requests_from_system_hooks',
      label: 'System hooks may reach the local network',
      help: 'Only administrators set up system hooks.',
      kind: 'switch',
      fallback: true,
    },
    {
      key: 'push_event_hooks_limit',
      label: 'Branches of a push that are told of',
      help: 'With more, or more tags, webhooks and integrations are left out. 0 leaves them out always.',
      kind: 'number',
      fallback: 3,
    },
    {
      key: 'mirror_available',
      label: 'Maintainers may set up mirrors',
      help: 'Otherwise only administrators may.',
      kind: 'switch',
      fallback: true,
    },
  ],
}
