import { z } from 'zod'

import { bool, int, list, text } from '../../../http/params.ts'
import { setting, type Setting } from './setting.ts'

/** What the instance sends to other hosts by itself. */
export const outgoing = {
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
} satisfies Record<string, Setting>
