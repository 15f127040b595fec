import type { Vendor } from '../channel.ts'
import { discord, googleChat, pumble, slack, teams, telegram, unifyCircuit, webexTeams } from './chat.ts'
import { bamboo, buildkite, datadog, drone, github, jenkins, packagist, teamcity } from './ci.ts'
import { jira, asana, pivotalTracker } from './jira.ts'
import { emailsOnPush, pipelinesEmail } from './mail.ts'
import { assembla, campfire, flowdock, irker, pushover } from './pushes.ts'

/** How each integration delivers events, by slug. Integrations without deliveries are not listed. */
export const VENDORS: ReadonlyMap<string, Vendor> = new Map<string, Vendor>([
  ['asana', asana],
  ['assembla', assembla],
  ['bamboo', bamboo],
  ['buildkite', buildkite],
  ['campfire', campfire],
  ['datadog', datadog],
  ['discord', discord],
  ['drone-ci', drone],
  ['emails-on-push', emailsOnPush],
  ['flowdock', flowdock],
  ['github', github],
  ['hangouts-chat', googleChat],
  ['irker', irker],
  ['jenkins', jenkins],
  ['jira', jira],
  ['mattermost', slack],
  ['microsoft-teams', teams],
  ['packagist', packagist],
  ['pipelines-email', pipelinesEmail],
  ['pivotaltracker', pivotalTracker],
  ['pumble', pumble],
  ['pushover', pushover],
  ['slack', slack],
  ['teamcity', teamcity],
  ['telegram', telegram],
  ['unify-circuit', unifyCircuit],
  ['webex-teams', webexTeams],
])
