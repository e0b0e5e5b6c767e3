package lexical

import "strings"

// stopWords are English words that say little about what a text is about: articles,
// pronouns, auxiliaries, prepositions, question words, and what opens a reply.
var stopWords = wordSet(`a an the this that these those and or but nor so if then than as of at by for from in into
	on onto to up out off over under with without about around between through during before after again further once
	here there where when who whom whose which what why how all any both each few more most other some such no not only
	own same too very can could will would shall should may might must do does did doing done am is are was were be been
	being have has had having i me my mine myself you your yours yourself he him his himself she her hers herself it its
	itself we us our ours ourselves they them their theirs themselves dont didnt doesnt isnt arent wasnt werent hasnt
	havent hadnt wont wouldnt cant couldnt shouldnt im ive id ill youre youve youd youll hes shes its were weve wed
	theyre theyve theyd thats whats wheres whos lets s t d m re ve ll yes yeah ok okay oh hey hi hello well just also
	get got getting thing things really like`)

func wordSet(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}

// irregularForms are English forms that no rule about endings leads back.
var irregularForms = wordMap(`ate eat eaten eat bought buy brought bring built build came come caught catch chose choose
	chosen choose drank drink drove drive driven drive fell fall fallen fall felt feel fought fight found find flew fly
	flown fly forgot forget forgotten forget gave give given give went go gone go grew grow grown grow heard hear held
	hold kept keep knew know known know led lead left leave lent lend lost lose made make meant mean met meet paid pay
	ran run rode ride ridden ride said say saw see seen see sold sell sent send sang sing sung sing sat sit slept sleep
	spoke speak spoken speak spent spend stood stand stole steal stolen steal swam swim swum swim took take taken take
	taught teach thought think threw throw thrown throw told tell understood understand wore wear worn wear won win
	wrote write written write began begin begun begin broke break broken break drew draw drawn draw became become
	children child men man women woman people person feet foot teeth tooth mice mouse wives wife lives life knives
	knife shook shake dreamt dream learnt learn burnt burn hid hide hidden hide hung hang rang ring rung ring rose rise
	risen rise sank sink sunk sink shot shoot woke wake woken wake wound wind bent bend bit bite bitten bite blew blow
	blown blow bred breed dealt deal dug dig fed feed fled flee froze freeze frozen freeze laid lay lit light
	proved prove proven prove sought seek swore swear swept sweep swung swing tore tear torn tear wept weep
	better good best good worse bad worst bad mum mom mummy mom mommy mom dad father grandma grandmother grandpa
	grandfather kid child`)

func wordMap(s string) map[string]string {
	words := strings.Fields(s)
	m := map[string]string{}
	for i := 0; i+1 < len(words); i += 2 {
		m[words[i]] = words[i+1]
	}
	return m
}

// irregular is the base of an irregular form, and any other word as it is.
func irregular(w string) string {
	if base, ok := irregularForms[w]; ok {
		return base
	}
	return w
}

// Common reports whether a word in lower case says little by itself.
func Common(word string) bool { return stopWords[word] }
