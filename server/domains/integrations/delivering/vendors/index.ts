import type { Vendor } from '../channel.ts'
import { discord, googleChat, pumble, slack, teams, telegram, unifyCircuit, webexTeams } from './chat.ts'
import { bamboo, buildkite, datadog, drone, github, jenkins, packagist, teamcity } from './ci.ts'
import { jira, asana, pivotalTracker } from './issue-comments.ts'
import { emailsOnPush, pipelinesEmail } from './mail.ts'
import { assembla, campfire, flowdock, irker, pushover } from './pushes.ts'

/** The functions that deliver events, by the slug of the integration. Other integrations do not deliver events. */
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
