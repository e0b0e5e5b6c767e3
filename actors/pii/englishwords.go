package pii

import "strings"

// What must follow an introduction.
const (
	needsList uint32 = iota + 1 // a name of the gazetteer, because other things follow it too
	label                       // a colon and a space
	ofPersons                   // two capitalised words that are not everyday words
)

var (
	titles = words(`chef principal chancellor ambassador mr mrs ms miss dr prof professor sir madam mx rev reverend
		judge senator captain capt sgt sergeant
		lt lieutenant colonel col coach officer detective nurse doctor aunt uncle president mister madame monsieur mme
		señor señora herr frau father sister brother`)
	// introductions come before a name. A marked one is so common that what follows must
	// look like a name.
	introductions = words(`my_name_is my_name's name_is his_name_is her_name_is whose_name_is named_after sincerely
		regards best_regards kind_regards yours_sincerely yours_truly warm_regards dear hi hello hey wife's_name_is
		husband's_name_is son's_name_is daughter's_name_is brother's_name_is sister's_name_is name's cheers yours
		best_wishes call_me people_call_me speak_to speak_with spoke_to spoke_with talk_to talked_to ask_for met_with
		introduce regards, thanks, signed, thx`).
		also(needsList, `for i'm i_am this_is call with and to from of see saw visit help email named called cc thanks
			thank_you it's it_is between than text`).
		also(label, `name: full_name: first_name: last_name: surname: contact_person: attn: attention: contact_name:
			patient: client: customer_name: employee_name: applicant: recipient: sender: author: customer: employee:
			contact: from: to: cc: by: signed: manager: student: teacher: witness: tenant: guest: passenger: caller:
			cardholder: account_holder: beneficiary: patient_name: student_name: user: owner: editor: speaker:`).
		also(ofPersons, `ask tell told contact meet met by says said asked married hired according_to invite remind
			thanks_to c/o signed_by written_by wife husband son daughter brother sister friend colleague boss manager
			mother father cousin partner neighbor neighbour roommate girlfriend boyfriend witness customer client
			president chairman ceo cfo cto director engineer actor actress singer author writer poet attorney lawyer
			teacher student patient nurse spokesperson spokesman spokeswoman founder co-founder owner agent assistant
			secretary guest tenant passenger player coach artist composer scientist physicist novelist journalist
			reporter editor senator governor mayor employee accountant architect pastor analyst consultant recruiter
			landlord details_of assigned_to uncle aunt nephew niece grandson granddaughter grandmother grandfather
			fiancé fiancée widow born user`)
	// personVerbs follow a name.
	personVerbs = words(`who said says told asked wrote called lives lived works worked thinks thought wants wanted
		joined left signed married moved studied graduated speaking writes replied agreed smiled laughed explained
		was_born born invited visited emailed texted phoned sent met loves likes bought has_left has_joined here
		and_i resigned retired died passed_away will_be confirmed added noted reported testified announced submitted
		ordered reached complained requested purchased paid needs owns applied attended arrived became won lost led
		founded wrote_to ran scored flew directed discovered invented refused pleaded denied apologised apologized
		tweeted teaches taught plays played sings sang serves served looks looked came went`)
)

// sentenceWords are never part of a name: common words that start sentences, and words
// for days, places, languages and things.
var sentenceWords = words(`hiring valued colleague colleagues parents editor santa neighbors neighbours residents
	subscriber subscribers guest guests patient members shareholder investor applicant candidate recruiter jan feb
		mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun a about above
	according account accounts actually address addresses after again ago all almost along already also although
	always am an and another any anybody anyone anything anyway apart apparently april are area as ask at attached
	attn august away back bad based be because become been before behind being below besides best better between
	beyond big both bring brother business but buy by call called can cannot card cc cheers chapter chief child
	children chinese christmas city class click close come coming company congratulations contact could country
	customer customers date day days dear december delivery dept department description despite did direct director do
	does done don't door down due during each early easter either email emails employee end english enough enter even
	evening ever every everybody everyone everything example except excuse fact family far fax february feel few
	finally find fine first follow following food for former fortunately four free french friday friend friends from
	full game general german get girl give given go god going good got great group guys had half happy hard has have
	having he head hello help her here hers hey hi high him his hold home honestly hope hopefully hospital hotel hour
	hours house how however i i'd i'll i'm i've idea if important in income indeed information inside instead
	interesting into invoice is issue it it'd it'll it's its january japanese job july june just keep kind kindly know
	korean large last lastly late later least left less let lets let's life like line list little local long look
	looking lots love lunch made mail main make man manager many march market mary's may maybe me mean meanwhile meet
	meeting member merry message might mine minute miss mobile monday money month monthly months more moreover morning
	most mother move mr mrs ms much music must my myself name names need never new news next nice night no nobody none
	nor normally not note nothing november now number numbers october of off office officer often oh ok okay old on
	once one online only open or order other others otherwise our ours out outside over overall own page paid paper
	part parent party passport password pay payment people perhaps person phone photo place please point police post
	present president previous price private problem product professor project public put question questions quick
	quite rather re read ready real really reason recently regarding regards remember reminder report request right
	road room said same saturday saw say school sea second section see seems sell send senior sent september service
	shall she she'd she'll she's ship shop should show similarly simply since sincerely sir sister six small so some
	somebody someone something sometimes soon sorry speak specifically staff start state states station still stop
	store street student students such sunday support sure surely system take talk team tel tell ten test text than
	thank thanks that that's the their theirs them then there there's therefore these they they'd they'll they're
	they've thing things think third this those though three through thursday thus time times title to today together
	tomorrow tonight too total toward town travel true try tuesday turn two under unfortunately unit university unless
	until up upon urgent us use used user using usually version very via view visit wait walk want was watch water way
	we we'd we'll we're we've web website wednesday week weekend weeks welcome well were what what's whatever when
	whenever where wherever whether which while white who who's whoever whole whom whose why wife will wish with
	within without woman women won't word words work world would write year years yes yesterday yet you you'd you'll
	you're you've young your yours zip north south east west northern southern eastern western central middle upper
	lower international national american british european asian african italian spanish dutch swedish russian indian
	canadian australian mexican brazilian america england britain london paris tokyo osaka kyoto berlin rome madrid
	york angeles francisco chicago boston seattle texas california florida europe asia africa japan china korea india
	germany france spain italy canada australia brazil mexico russia sweden norway finland denmark poland portugal
	greece turkey egypt ireland scotland wales switzerland austria belgium netherlands google amazon apple microsoft
	facebook twitter netflix github linux windows android iphone ipad mac macbook excel word powerpoint outlook slack
	zoom docker python java javascript visual studio code desktop chrome firefox safari youtube instagram whatsapp
	telegram line server client api sql internet wifi bluetooth usb pdf html css app apps data database cloud model
	machine learning intelligence artificial science computer software hardware engineer engineering developer
	development design designer marketing sales finance legal human resources vice assistant associate executive chief
	officer dinner breakfast coffee tea pizza bread garden park square avenue lane drive boulevard bridge river lake
	mountain island beach church court hall tower palace museum library theater theatre cinema restaurant cafe bar
	airport terminal gate flight train bus car ticket black red green blue yellow orange brown pink purple gray grey
	gold silver happy birthday new year eve thanksgiving halloween spring summer autumn winter wall war peace congress
	parliament senate government ministry minister king queen prince princess lord lady church bible catholic
	christian muslim jewish buddhist league cup championship olympic olympics super bowl series season episode volume
	edition step option level stage phase part figure table appendix section article clause act bill law code art arts
	bank union club association society foundation institute college academy center centre committee council board
	bureau agency federal royal grand saint st la le el los las san santa santo del de van von der den bin al ibn du
	da di mc mac o jr sr ii iii iv phd md esq dna rna fbi cia nasa usa uk eu un nor tech pro max mini plus ultra air
	note tab watch series galaxy pixel surface xbox playstation nintendo switch tesla ford toyota honda bmw audi
	mercedes samsung sony nike adidas ikea starbucks walmart costco visa mastercard paypal ebay uber airbnb spotify
	reddit wikipedia oracle ibm intel nvidia amd cisco dell hp lenovo`)

var placesAfter = words(`street st avenue road lane drive square park hall house hotel airport station university
	college school hospital museum library bridge river lake island city county state building tower center centre
	church court theater theatre stadium arena day bank group company inc ltd llc corp award prize cup act bill law
	street's valley beach bay mountain hill hills heights county's republic kingdom empire islands province district
	village`)

// alsoVerbs are given names that also begin questions and commands, or are months.
var alsoVerbs = words(`will may mark grant chase drew rob june april august rich guy sue pat bill dawn hope rose art`)

// placesOfWords are places of several words.
var placesOfWords = words(`buenos_aires hong_kong las_vegas costa_rica sri_lanka puerto_rico rio_de_janeiro
	kuala_lumpur tel_aviv abu_dhabi cape_town baton_rouge salt_lake saudi_arabia el_salvador sierra_leone cape_verde
	ho_chi_minh phnom_penh addis_ababa santo_domingo porto_alegre sao_paulo mexico_city panama_city tierra_del_fuego
	mount_fuji monte_carlo san_francisco san_jose san_diego san_antonio los_angeles santa_monica santa_barbara
	santa_clara santa_cruz santa_fe st._louis st_louis st._paul fort_wayne fort_worth jefferson_city jackson_hole
	mount_vernon virginia_beach west_virginia new_jersey saint_louis lake_charles port_louis`)

// familyEndings end family names of many countries, but few other words.
var familyEndings = strings.Fields(`son sen berg mann stein ski sky wicz czyk ova eva nova enko chuk ez ini elli etti
	opoulos akis idis yan ssian sson dottir kar wala nathan swamy moto mura kawa yama zaki shima gawa guchi bayashi
	hara smith kowski wski escu eanu nen quist ström strom gaard baum feld owitz ovich evich adze shvili oglu zade
	poor`)

var (
	easternFamilies = words(`li wang zhang liu chen yang zhao huang zhou wu xu sun hu zhu gao lin guo luo liang song
		zheng xie han tang
		feng yu dong xiao cheng cao yuan deng fu shen zeng peng lu su jiang cai jia ding wei xue ye yan pan du dai
		xia zhong
		tian ren fang shi yao liao zou xiong jin hao kong bai cui kang mao qiu qin gu hou shao meng wan duan qian
		tan lai
		nguyen tran le pham huynh hoang phan vu vo dang bui do ngo duong ly dinh trinh ng ong goh teo koh lim tan
		wong chan
		cheung leung lau kwok ho kim lee park choi jung jeong kang cho yoon jang lim han shin seo kwon hwang ahn hong`)
	easternSyllables = words(`na wei ling min jun fang xin yu hui jing jie lei tao hong mei ying yan ping lan lin
		hua hao yi bo bin chao
		chen cheng dan dong fei feng gang guang hai han he heng jia jian jiang jin juan kai kang kun lei li liang
		long lu
		man meng miao ming nan ning peng qi qian qiang qin qing qiu rong rui shan sheng shu song tian ting tong wen
		xi xia
		xiang xiao xing xiu xu xuan xue yang yao yong yuan yue yun ze zhen zheng zhi zhong zhu zi xiaoming xiaoling
		weiwei
		lili jiawei jiahui haoran yuxuan zihan siyu mengyao yifan zixuan xinyi jingyi van thi anh hoa huong linh mai
		minh
		nam nga ngoc nhung phuong quang quan quynh son thanh thao thu thuy trang trung tuan tung tuyet uyen viet
		vinh xuan
		bao chau dung duc duy giang ha hien hieu hung khanh khoa kien lam long ly my ngan nguyen nhi phuc phu tam
		tai tien
		toan tri tu vy wai kit kin kwan kei chi ching chun fai fung ho hoi ka kam ki king kuen kwok lok lai mei man
		ming
		nok on pui sau shan shing sin sum suet sze tak tin ting tung wah wing yan yee yin yiu yuen yuk`)
)
