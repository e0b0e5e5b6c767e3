package corpus

// words are what generated people say. {n} is a small number, {t} a time,
// {d} a day, {p} a place and {w} a thing; see fillIn.
type words struct {
	sentences, greetings, short, days, places, things []string
}

var japanese = words{
	sentences: []string{
		"{d}の{t}に{p}で会おう", "{p}の前で待ってるね", "{w}を買っておいてくれる？", "今日は{p}がすごく混んでた", "{w}がまだ届かないんだけど",
		"{t}の電車に乗るつもり", "さっき{p}で先生に会ったよ", "来週から新しい仕事が始まる", "母が{w}を送ってくれた", "{d}は雨らしいよ",
		"傘を持っていったほうがいいかも", "夕飯は{w}にしようと思う", "{n}人分の席を予約しておいた", "{p}までの道を教えてほしい", "昨日の映画、最後がよかった",
		"{w}の写真を見せて", "明日の朝は早いからもう寝るね", "会議が{t}に変わりました", "資料を{n}部印刷してください", "{p}に着いたら電話して",
		"鍵を机の上に置いてきたみたい", "{w}は冷蔵庫に入ってるよ", "週末に部屋を片付けないと", "{d}までに返事をください", "庭の花がようやく咲いた",
		"バスが遅れているので少し待って", "新しい靴を買いに行きたい", "{n}階の受付で名前を言ってね", "犬の散歩に行ってくる", "その話は{p}で聞いたことがある",
		"{w}の作り方を覚えた", "試験の結果は{d}に出るらしい", "図書館で本を{n}冊借りた", "窓を閉めるのを忘れた", "{p}の近くに引っ越すことになった",
		"お土産は{w}でいい？", "写真をたくさん撮ったから後で送るね", "風が強くて自転車が倒れてた", "{t}ごろ家を出ます", "歯医者の予約を変更した",
		"海まで歩いて{n}分くらい", "弟が{p}で働き始めた", "今年の夏は山に登りたい", "{w}を{n}つ注文しました", "静かな店を知ってる？",
		"切符はもう買ってある", "隣の人がピアノを練習している", "昼休みに{p}へ行こう", "荷物は玄関に置いておいて", "また今度ゆっくり話そう",
		"健康診断の結果が届いた", "雪で電車が止まってる", "その本なら{p}にあったよ", "{d}の夜は空いてる？", "電池が切れそうだから後で連絡する",
		"{w}を忘れないでね", "階段で転んで足が痛い", "天気がいいから洗濯した", "会場は{p}の{n}階です", "やっと宿題が終わった",
	},
	greetings: []string{"おはよう", "おはよう！", "こんにちは", "こんばんは", "おやすみ", "おやすみなさい", "ただいま", "おつかれさま", "またね", "久しぶり",
		"ありがとう", "よろしくお願いします"},
	short: []string{"OK", "了解", "うん", "はい", "いいよ", "ありがとう", "なるほど", "そうだね", "了解です", "わかった", "たしかに", "いいえ", "本当？",
		"すごい", "助かる", "ごめん", "大丈夫", "えっ", "やった！", "まだ"},
	days:   []string{"月曜", "火曜日", "水曜", "木曜日", "金曜", "土曜日", "日曜", "明日", "あさって", "来週"},
	places: []string{"駅", "公園", "図書館", "会社", "喫茶店", "本屋", "学校", "郵便局", "空港", "体育館", "市役所", "病院"},
	things: []string{"牛乳", "切手", "りんご", "カレー", "地図", "お茶", "辞書", "花束", "電球", "毛布", "うどん", "手袋"},
}

var english = words{
	sentences: []string{
		"Let's meet at {t} near the {p}.", "Could you bring the {w} on {d}?", "I left my {w} at the {p} again.",
		"The train leaves at {t}, so hurry up.",
		"My sister is moving to a new flat next month.", "Did you finish the report already?",
		"We need {n} more chairs for {d}.", "I will call you after dinner.",
		"The weather looks great this weekend.", "Sorry, I was on the phone with the {p}.",
		"Have you seen my {w} anywhere?", "It takes about {n} minutes from the {p}.",
		"The meeting was moved to {d}.", "I am making soup tonight, want some?",
		"That was the best concert of the year.", "Please send me the address of the {p}.",
		"They are closed on {d}.", "I found an old photo of us.", "Can we talk about the budget later?",
		"My battery is almost empty.",
		"The garden looks lovely in spring.", "Remember to water the plants.", "Her flight arrives at {t}.",
		"Nobody told me about the change.",
		"I bought {n} tickets for the show.", "The {w} is still in the kitchen.", "We should visit the {p} together.",
		"It rained the whole morning.",
		"Just five more pages and I am done.", "Our neighbours got a puppy.", "Which colour do you like better?",
		"The lift is out of order again.",
		"Thanks for helping with the boxes.", "I will be at the {p} until {t}.", "Everyone liked your cake.",
		"Tell me when you get home.",
		"The keys are under the blue pot.", "Maybe we can go hiking on {d}.", "Is the {p} far from here?",
		"I will think about it.",
	},
	greetings: []string{"Good morning", "Good morning!", "Hello", "Hi there", "Good night", "See you later",
		"Take care", "Thank you!", "Welcome back", "Long time no see"},
	short: []string{"OK", "Yes", "No", "Sure", "Thanks", "Got it", "Sounds good", "Really?", "Great", "Me too",
		"Why not", "Maybe", "On my way", "Of course", "No problem", "Nice!", "ok", "Done"},
	days: []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"},
	places: []string{"station", "library", "park", "office", "museum", "bakery", "school", "airport",
		"bridge", "harbour"},
	things: []string{"umbrella", "notebook", "charger", "map", "jacket", "camera", "basket",
		"lamp", "teapot", "ladder"},
}

// alone are numbers and times that are whole messages.
var alone = []string{"42", "12:30", "7", "100", "9:05", "2024", "18:00", "15", "3", "1200", "10:00", "64"}

// pictures are messages without a letter.
var pictures = []string{"😀", "👍", "🙏🙏", "❤️", "😂😂😂", "🎉", "👋", "😢"}

// people are the names of generated conversations. Those that follow each other are unlike.
var people = []string{
	"Hana", "佐藤 健", "ゆうき", "山崎さくら", "田中さん", "Emma", "鈴木 美咲", "みさき", "森直樹", "佐藤先生", "Oliver", "高橋 大輔", "はると",
	"池田陽菜", "山本課長", "Sophia", "田中 結衣", "ひなた", "橋本和也", "お母さん", "Liam", "伊藤 翔太", "そうた", "阿部千尋", "弟", "Ava", "渡辺 葵",
	"あおい", "石川誠", "大家さん", "Noah", "山本 拓也", "れん", "前田恵子", "3年2組", "Mia", "中村 さくら", "さくら", "藤田浩二", "野球部", "Lucas",
	"小林 直樹", "りく", "小川由美", "営業一課", "Isla", "加藤 陽菜", "ゆい", "岡田隆", "週末の登山", "Ethan", "吉田 和也", "かいと", "後藤真理子",
	"料理教室", "Chloe", "山田 千尋", "めい", "長谷川修", "Book club", "Mason", "佐々木 誠", "ゆうと", "村上明日香", "Team Blue", "Grace",
	"山口 恵子", "りお", "近藤亮", "Project 2026", "Logan", "松本 浩二", "たくみ", "石井裕子", "Dr. Müller", "Ruby", "井上 由美", "みお",
	"坂本剛", "Mr. Brown", "Jacob", "木村 隆", "しょう", "遠藤智子", "Aunt Mary", "Ella", "林 真理子", "かのん", "青木学", "Room 301",
	"Daniel", "斎藤 修", "だいち", "藤井綾", "Lab C", "Lily", "清水 明日香", "ほのか", "西村徹", "Neighbours", "Henry", "山崎 亮",
	"佐藤香織", "ren_k", "Zoe", "森 裕子", "鈴木豊", "yuki.m", "Samuel", "池田 剛", "高橋麻衣", "K.T.", "Alice", "橋本 智子", "田中純",
	"Mike & Amy", "David", "阿部 学", "伊藤瞳", "家族", "Nora", "石川 綾", "渡辺進", "幹事会", "Joseph", "前田 徹", "山本愛", "PTA役員",
	"Clara", "藤田 香織", "中村勝", "Ken-ichi", "Thomas", "小川 豊", "小林忍", "O'Brien", "Ivy", "岡田 麻衣", "加藤薫", "de la Cruz",
	"Martin", "後藤 純", "吉田光", "Anne-Marie", "Hugo", "長谷川 瞳", "山田望", "二次会", "Anna", "村上 進", "佐々木渚", "引っ越し", "Felix",
	"近藤 愛", "山口健", "合唱団", "Maria", "石井 勝", "松本美咲", "三丁目の会", "Oscar", "坂本 忍", "井上大輔", "町内会", "Julia", "遠藤 薫",
	"木村結衣", "Jazz night", "Simon", "青木 光", "林翔太", "Lunch?", "Laura", "藤井 望", "斎藤葵", "Flat 2B", "Victor", "西村 渚",
	"清水拓也", "Gym buddies", "Helena", "Robert", "Diana", "Patrick", "Monica", "Stefan", "Petra", "Andreas",
	"Ingrid", "Björn", "Zoë", "José", "François", "Łukasz", "Chloé",
	"Kovács Bence", "Mireille", "Tariq", "Anh Nguyen", "Noor", "Wen", "Siobhán", "Ulla-Britt", "千葉さん", "猫の会",
}
